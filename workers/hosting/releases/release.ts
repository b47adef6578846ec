import type { AppRow, DeploymentRow } from "../../../db/hosting/schema";
import type { UserActor } from "../../kit/webhooks/events/event-actor";
import { type FileList, findMissing, sumMissing } from "../files/blob";
import { distinctFiles, loadManifest, storeManifest } from "../files/manifest";
import { Problem } from "../problem";
import { readRules } from "../rules/read-rules";
import type { HostingServices } from "../services";
import { type Activated, activate, MAX_MISSING } from "./activation";

const unchanged = { lease: null, files: [], warnings: null, fileCount: null, totalBytes: null, bytesNew: null };

/**
 * Makes a deployment by manifest live. Does nothing for the live deployment. Throws 400 `artifact_missing` for a deployment
 * without files, 409 `blobs_missing` with the hashes, 409 `invalid_deployment_status`, and 502 `storage_error`.
 */
export async function finalize(
  services: HostingServices,
  { app, deployment }: { app: AppRow; deployment: DeploymentRow },
  caller: UserActor,
): Promise<Released> {
  if (deployment.status === "active") return { app, deployment };
  if (deployment.status !== "draft") throw new Problem("invalid_deployment_status");
  if (deployment.file_count === null) throw new Problem("artifact_missing");
  const location = { companyId: deployment.company_id, deploymentId: deployment.id };
  const manifest = await loadManifest(services, location);
  // The request that created the deployment stores the manifest after the row, and may have failed in between.
  if (manifest === null) throw new Problem("storage_error", { cause: new Error("the manifest of a draft is missing") });
  const files = distinctFiles(manifest.files);
  const { headers, redirects, warnings } = await readRules(services, location.companyId, manifest.files).catch(
    async (cause) => Promise.reject(await toRulesProblem(services, location.companyId, files, cause)),
  );
  if (headers.length + redirects.length > 0)
    await storeManifest(services, location, { ...manifest, headers, redirects });
  const type = "hosting.deployment.succeeded";
  const activated = await activate(services, app, deployment, caller, {
    ...unchanged,
    type,
    statuses: ["draft"],
    files,
    warnings,
  });
  return requireLive(activated);
}

/** Returns 409 `blobs_missing` when files are missing, which may be those with the rules; otherwise 502 `storage_error`. */
async function toRulesProblem(services: HostingServices, companyId: number, files: FileList, cause: unknown) {
  const { missing } = sumMissing(await services.dbOf(companyId).all(findMissing({ companyId, files })));
  return missing.length === 0
    ? new Problem("storage_error", { cause })
    : new Problem("blobs_missing", { extra: { missing: missing.slice(0, MAX_MISSING) } });
}

/** Makes a deployment live again that was live before. Does nothing for the live one. Throws 409 `invalid_deployment_status`. */
export async function rollBack(
  services: HostingServices,
  { app, deployment }: { app: AppRow; deployment: DeploymentRow },
  caller: UserActor,
): Promise<Released> {
  if (deployment.status === "active") return { app, deployment };
  if (deployment.status !== "superseded") throw new Problem("invalid_deployment_status");
  const type = "hosting.deployment.rolled_back";
  return requireLive(
    await activate(services, app, deployment, caller, { ...unchanged, type, statuses: ["superseded"] }),
  );
}

/** A live deployment and its app. */
export type Released = { app: AppRow; deployment: DeploymentRow };

/** Returns the live deployment. Throws the reason when it is not live. */
function requireLive({ isDone, app, deployment, missing }: Activated): Released {
  if (app === null || deployment === null) throw new Problem("not_found");
  // Another request may have made it live at the same time.
  if (isDone || deployment.status === "active") return { app, deployment };
  if (missing.length > 0) throw new Problem("blobs_missing", { extra: { missing } });
  throw new Problem("invalid_deployment_status");
}
