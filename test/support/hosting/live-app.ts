import { and, eq } from "drizzle-orm";
import { hosting_apps, hosting_deployments } from "../../../db/hosting/schema";
import type { ManifestFile, NotFound } from "../../../schemas/hosting/manifest";
import type { HostingBindings } from "../../../workers/hosting/bindings";
import { blobKey, manifestKey } from "../../../workers/hosting/files/keys";
import { forgetLookups } from "../../../workers/hosting/live/lookup";
import { parseHeaders } from "../../../workers/hosting/rules/header-rules";
import { parseRedirects } from "../../../workers/hosting/rules/redirect-rules";
import { mimeTypeOf } from "../../../workers/kit/files/mime-type";
import { freshCompany } from "../sibling/sibling";
import { insertRow, updateRows } from "../webhooks/rows";
import { startHosting, testEnv } from "./hosting";
import { openApp } from "./open-app";

/** The domain of the apps in tests. */
export const appDomain = "apps.example.com";

/** A file that a test deploys: its text, or its text with another media type. */
type Files = Readonly<Record<string, string | { text: string; type: string }>>;

type DeployOptions = {
  notFound?: NotFound;
  headers?: string;
  redirects?: string;
  /** default: the deployment becomes the live one */
  status?: "active" | "superseded" | "draft" | "failed";
};

/** Starts hosting with an app of a fresh company. Deployments are rows and R2 objects, as a finalize leaves them. */
export async function startLiveApp(vars: Partial<HostingBindings> = {}) {
  const companyId = freshCompany();
  const settings = { HOSTING_APP_DOMAIN: appDomain, HOSTING_APP_SCHEME: "https", ...vars };
  const hosting = await startHosting({ vars: settings });
  const id = crypto.randomUUID();
  const slug = `a${crypto.randomUUID().replaceAll("-", "").slice(0, 11)}`;
  await insertRow(hosting_apps, {
    id,
    company_id: companyId,
    name: "shop",
    slug,
    display_name: "Shop",
    owner_id: 7,
    created_at: 1,
    updated_at: 1,
  });
  let deployments = 0;

  /** Stores a deployment and makes it live unless `status` says otherwise. */
  async function deploy(files: Files, options: DeployOptions = {}) {
    const { notFound = "spa", headers = "", redirects = "", status = "active" } = options;
    const now = Date.now();
    deployments += 1;
    const deploymentId = crypto.randomUUID();
    const entries: Record<string, ManifestFile> = {};
    for (const [path, file] of Object.entries(files)) {
      const text = typeof file === "string" ? file : file.text;
      const type = typeof file === "string" ? mimeTypeOf(null, path) : file.type;
      entries[path] = { ...(await storeBlob(text)), type };
    }
    await testEnv.FILES.put(
      manifestKey(companyId, deploymentId),
      JSON.stringify({
        v: 1,
        files: entries,
        headers: parseHeaders(headers).rules,
        redirects: parseRedirects(redirects).rules,
        not_found: notFound,
      }),
    );
    if (status === "active") {
      await updateRows(
        hosting_deployments,
        { status: "superseded", live_until: now + deployments },
        and(eq(hosting_deployments.status, "active"), eq(hosting_deployments.app_id, id)),
      );
    }
    await insertRow(hosting_deployments, {
      id: deploymentId,
      app_id: id,
      company_id: companyId,
      address: deploymentId.slice(0, 8),
      app_version: "1.0.0",
      shell_version: "",
      status,
      pinned: false,
      message: "",
      not_found: notFound,
      deployed_by_id: 7,
      warnings: [],
      live_from: status === "active" ? now : null,
      created_at: now,
      updated_at: now,
      finalized_at: status === "draft" ? null : now,
    });
    if (status === "active") {
      await updateRows(hosting_apps, { current_deployment_id: deploymentId }, eq(hosting_apps.id, id));
    }
    forgetLookups();
    return { id: deploymentId, host: `${slug}--${deploymentId.slice(0, 8)}.${appDomain}`, files: entries };
  }

  async function storeBlob(text: string): Promise<{ sha256: string; size: number }> {
    const bytes = new TextEncoder().encode(text);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const sha256 = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    await testEnv.FILES.put(blobKey(companyId, sha256), bytes);
    return { sha256, size: bytes.length };
  }

  /** Sends a request to a host of an app; a path alone is on the host of the live deployment. Returns the response read in full. */
  async function open(target: string, init: RequestInit & { bindings?: Partial<HostingBindings> } = {}) {
    const { bindings, ...requestInit } = init;
    const url = target.startsWith("/") ? `https://${slug}.${appDomain}${target}` : target;
    return openApp({ ...hosting.bindings, ...bindings }, url, requestInit);
  }

  return { ...hosting, companyId, app: { id, slug }, host: `${slug}.${appDomain}`, deploy, open };
}
