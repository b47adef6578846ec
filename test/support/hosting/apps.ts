import { hosting_access } from "../../../db/hosting/schema";
import type { PublicApp } from "../../../schemas/hosting/app";
import type { PublicDeployment } from "../../../schemas/hosting/deployment";
import { freshCompany } from "../sibling/sibling";
import { insertRow } from "../webhooks/rows";
import { startHosting } from "./hosting";

type Vars = NonNullable<Parameters<typeof startHosting>[0]>["vars"];
type Json = Record<string, unknown>;
type Files = Record<string, string | Uint8Array>;

/** The manifest of a request, and the bytes of its files by hash. */
export type TestSite = { manifest: Record<string, { sha256: string; size: number }>; blobs: Map<string, Uint8Array> };

/** The response to a new deployment. */
export type Created = PublicDeployment & { missing: string[]; bytes_missing: number; fits: boolean };

const encode = (content: string | Uint8Array) =>
  typeof content === "string" ? new TextEncoder().encode(content) : content;

/** Returns the SHA-256 of bytes in hex. */
export async function hashOf(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as BufferSource));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the manifest of files by path. */
export async function siteOf(files: Files): Promise<TestSite> {
  const site: TestSite = { manifest: {}, blobs: new Map() };
  for (const [path, content] of Object.entries(files)) {
    const bytes = encode(content);
    const sha256 = await hashOf(bytes);
    site.manifest[path] = { sha256, size: bytes.length };
    site.blobs.set(sha256, bytes);
  }
  return site;
}

/** Lets a company host apps. */
export const approve = (company_id: number) =>
  insertRow(hosting_access, { company_id, status: "approved" as const, notes: "" });

/** Starts hosting with a new company that may host apps, its member, its owner and staff. */
export async function startApps(vars: Vars = {}, { isApproved = true } = {}) {
  const companyId = freshCompany();
  if (isApproved) await approve(companyId);
  return openApps(companyId, vars);
}

/** Starts hosting for the members of a company. */
export async function openApps(companyId: number, vars: Vars = {}) {
  const rates = { HOSTING_DEPLOY_RATE_LIMIT: "1000/min", HOSTING_DELETE_RATE_LIMIT: "1000/min" };
  const hosting = await startHosting({ vars: { API_MUTATION_RATE_LIMIT: "100000/min", ...rates, ...vars } });
  const [memberId, ownerId, staffId] = [companyId, companyId + 1_000_000_000, companyId + 2_000_000_000];
  // Tests move the clock by days.
  const claims = { exp: Math.floor(Date.now() / 1000) + 90 * 86_400 };
  const member = await hosting.token({ companyId, userId: memberId, email: "mina@example.com" }, claims);
  const owner = await hosting.token({ companyId, userId: ownerId, isOwner: true, email: "olga@example.com" }, claims);
  const staff = await hosting.token({ companyId, userId: staffId, isStaff: true }, claims);

  const call = (path: string, init: Parameters<typeof hosting.call>[1] = {}) =>
    hosting.call(`/hosting/v1/${path}`, { bearer: member, ...init });

  /** Sends JSON; fails unless the response has the status. */
  async function send<T>(
    path: string,
    json: Json,
    status: number,
    init: Parameters<typeof hosting.call>[1] = {},
  ): Promise<T> {
    const response = await call(path, { json, ...init });
    const text = await response.text();
    if (response.status !== status) throw new Error(`${path}: ${response.status} instead of ${status}: ${text}`);
    return JSON.parse(text) as T;
  }

  let last = 0;
  const createApp = (fields: Json = {}) =>
    send<PublicApp>("apps", { name: `app-${++last}`, display_name: "Field Notes", ...fields }, 201);

  /** Creates a deployment by manifest without uploading its files. */
  const createDeployment = async (app: string, files: Files | TestSite, fields: Json = {}) => {
    const site = isSite(files) ? files : await siteOf(files);
    const created = await send<Created>(
      `apps/${app}/deployments`,
      { app_version: "1.0.0", manifest: site.manifest, ...fields },
      201,
    );
    return { site, created };
  };

  const putBlob = (app: string, sha256: string, bytes: Uint8Array, headers: Record<string, string> = {}) =>
    call(`apps/${app}/blobs/${sha256}`, {
      method: "PUT",
      headers: { "content-length": String(bytes.length), ...headers },
      body: bytes as BodyInit,
    });

  const uploadMissing = async (app: string, site: TestSite, missing: readonly string[]) => {
    for (const sha256 of missing) {
      const response = await putBlob(app, sha256, site.blobs.get(sha256) ?? new Uint8Array());
      if (response.status !== 201) throw new Error(`blob: ${response.status} ${await response.text()}`);
    }
  };

  const finalize = (app: string, id: string) => call(`apps/${app}/deployments/${id}/finalize`, { method: "POST" });
  const rollback = (app: string, id: string) => call(`apps/${app}/deployments/${id}/rollback`, { method: "POST" });

  /** Deploys files and makes them live. */
  async function deploy(app: string, files: Files, fields: Json = {}): Promise<PublicDeployment> {
    const { site, created } = await createDeployment(app, files, fields);
    await uploadMissing(app, site, created.missing);
    const response = await finalize(app, created.id);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`finalize: ${response.status} ${text}`);
    return JSON.parse(text) as PublicDeployment;
  }

  return {
    hosting,
    companyId,
    memberId,
    ownerId,
    staffId,
    member,
    owner,
    staff,
    call,
    send,
    createApp,
    createDeployment,
    putBlob,
    uploadMissing,
    finalize,
    rollback,
    deploy,
  };
}

const isSite = (files: Files | TestSite): files is TestSite => files.blobs instanceof Map;
