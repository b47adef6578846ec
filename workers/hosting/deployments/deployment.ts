import type { AppRow, DeploymentRow } from "../../../db/hosting/schema";
import type { NotFound } from "../../../schemas/hosting/manifest";
import { actorOf, changeEntry } from "../../kit/audit/audit";
import { followedBy } from "../../kit/db/statement";
import { uuid } from "../../kit/ids";
import { invalid } from "../../kit/problem";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-store/new-event";
import { type Actor, eventActor, type UserActor } from "../../kit/webhooks/events/event-actor";
import { appUrl } from "../apps/address";
import { appEventFields } from "../apps/app";
import { declareBlobs, findMissing, type Missing, sumMissing } from "../files/blob";
import { KEPT_MS, requestCleanup, TOUCH_MS } from "../files/clean-up";
import { distinctFiles, storeManifest } from "../files/manifest";
import { forgetLookups } from "../live/lookup";
import { Problem } from "../problem";
import type { HostingServices } from "../services";
import {
  addCreationEvent,
  countKept,
  deleteDeployment,
  findDeploymentById,
  insertDeployment,
  pruneDeployments,
} from "./deployment.store";
import type { ManifestInput } from "./manifest-input";

export { findDeployment, findDeploymentById } from "./deployment.store";

/** A new deployment. `manifest` is null when the files arrive as an archive. */
export type NewDeployment = {
  app_version: string;
  shell_version: string | null;
  pinned: boolean;
  message: string;
  not_found: NotFound;
  manifest: ManifestInput | null;
};

/** The files that a new deployment lacks; `fits` is false when the app has no room for it. */
export type MissingFiles = Missing & { fits: boolean };

type Created = { deployment: DeploymentRow; missing: MissingFiles | null };

/** Returns which files of a manifest are missing, without storing anything. Throws 400 for a wrong size of a stored file. */
export async function previewDeployment(
  { dbOf, settings }: HostingServices,
  { id: appId, company_id: companyId }: AppRow,
  manifest: ManifestInput,
): Promise<MissingFiles> {
  const files = distinctFiles(manifest.files);
  const { missing, kept } = await dbOf(companyId).batch({
    missing: findMissing({ companyId, files }),
    kept: countKept({ appId }),
  });
  requireStoredSizes(manifest, missing.rows);
  return { ...sumMissing(missing.rows), fits: (kept.first?.total ?? 0) < settings.limits.deployments };
}

/**
 * Creates a deployment in the state `draft`, declares its files and deletes the oldest deployments beyond the limit. Throws 400
 * for a wrong size of a stored file, 403 `deployment_quota_exceeded`, 409 `preview_expired`, 404 or 502 `storage_error`.
 */
export async function createDeployment(
  services: HostingServices,
  app: AppRow,
  caller: UserActor,
  input: NewDeployment,
): Promise<Created> {
  const { statements, finish, eventKey } = deploymentStatements(services, app, caller, input);
  const results = await batchWithEvents(services.webhooks, services.dbOf(app.company_id), statements, [eventKey]);
  return finish(results);
}

type Results = {
  stored: { first: DeploymentRow | null };
  missing: { rows: { sha256: string; size: number; is_stored: number }[] } | null;
};

/**
 * Returns the statements that create a deployment, and the key of their event. `finish` stores the manifest and returns the
 * deployment; it throws the reason when the statements inserted nothing.
 */
export function deploymentStatements(
  services: HostingServices,
  app: Pick<AppRow, "id" | "company_id" | "name" | "slug" | "display_name" | "expires_at">,
  caller: UserActor,
  { manifest, ...input }: NewDeployment,
) {
  const { clock, settings } = services;
  const { id: appId, company_id: companyId } = app;
  // The id is random, because its first characters are part of an address that is not public.
  const id = crypto.randomUUID();
  const [eventId, now] = [uuid(), clock.now()];
  const files = manifest === null ? null : distinctFiles(manifest.files);
  const max = settings.limits.deployments;
  const row = {
    id,
    appId,
    companyId,
    address: addressOf(id),
    appVersion: input.app_version,
    shellVersion: input.shell_version ?? "",
    pinned: input.pinned,
    message: input.message,
    notFound: input.not_found,
    userId: caller.userId,
    fileCount: manifest?.fileCount ?? null,
    totalBytes: manifest?.totalBytes ?? null,
    files,
    now,
    max,
  };
  const type = "hosting.deployment.created";
  const data = storableData({
    ...appEventFields(app),
    ...deploymentEventFields(services, app, { id, ...input, file_count: row.fileCount }, "draft"),
  });
  const finish = async ({ stored, missing }: Results): Promise<Created> => {
    if (manifest !== null) requireStoredSizes(manifest, missing?.rows ?? []);
    if (stored.first === null) throw refusal(services, app);
    if (manifest === null) return { deployment: stored.first, missing: null };
    const { not_found } = input;
    const location = { companyId, deploymentId: id };
    await storeManifest(services, location, { v: 1, files: manifest.files, headers: [], redirects: [], not_found });
    return { deployment: stored.first, missing: { ...sumMissing(missing?.rows ?? []), fits: true } };
  };
  return {
    finish,
    eventKey: { id: eventId, company_id: companyId },
    statements: {
      deployment: followedBy(
        insertDeployment(row),
        changeEntry({ ...auditedDeployment(caller, companyId, id, "created", now), changes: { app: appId } }),
      ),
      pruned: pruneDeployments({ appId, newId: id, max }),
      event: addCreationEvent({ eventId, companyId, type, data, id, now, ...eventActor(caller) }),
      declared:
        files === null
          ? null
          : declareBlobs({ companyId, deploymentId: id, files, now, touchedBefore: now - TOUCH_MS }),
      cleanUp: requestCleanup({ companyId, dueAt: now + KEPT_MS, now }),
      missing: files === null ? null : findMissing({ companyId, files }),
      stored: findDeploymentById({ id, companyId }),
    },
  };
}

/** The first characters of a deployment's id, which are part of its address. */
const addressOf = (id: string): string => id.slice(0, 8);

function refusal({ clock }: HostingServices, { expires_at }: Pick<AppRow, "expires_at">): Problem {
  const isExpired = expires_at !== null && expires_at <= clock.now();
  return new Problem(isExpired ? "preview_expired" : "deployment_quota_exceeded");
}

/** Throws a 400 that names the files whose hash belongs to a stored file of another size. */
function requireStoredSizes({ files }: ManifestInput, missing: readonly { sha256: string; is_stored: number }[]): void {
  const wrong = new Set(missing.filter(({ is_stored }) => is_stored === 1).map(({ sha256 }) => sha256));
  const paths = Object.keys(files).filter((path) => wrong.has(files[path]?.sha256 ?? ""));
  if (paths.length === 0) return;
  throw invalid(Object.fromEntries(paths.slice(0, MAX_NAMED).map((path) => [`manifest.${path}.size`, ["mismatch"]])));
}

/** Maximum number of files that an error names. */
const MAX_NAMED = 20;

/** Deletes a deployment that is not live. The clean-up removes its files. Throws 409 `invalid_deployment_status`. */
export async function removeDeployment(
  { clock, dbOf }: HostingServices,
  caller: UserActor,
  { id, company_id: companyId }: DeploymentRow,
): Promise<void> {
  const now = clock.now();
  const { remaining } = await dbOf(companyId).batch({
    deleted: followedBy(
      deleteDeployment({ id, companyId }),
      changeEntry(auditedDeployment(caller, companyId, id, "deleted", now)),
    ),
    cleanUp: requestCleanup({ companyId, dueAt: now, now }),
    remaining: findDeploymentById({ id, companyId }),
  });
  if (remaining.first !== null) throw new Problem("invalid_deployment_status");
  forgetLookups();
}

/** Returns the fields of a deployment in the data of its events. */
export const deploymentEventFields = (
  { settings }: Pick<HostingServices, "settings">,
  app: Pick<AppRow, "slug">,
  deployment: Pick<DeploymentRow, "id" | "app_version" | "file_count"> & { shell_version: string | null },
  status: DeploymentRow["status"],
) => ({
  deployment_id: deployment.id,
  app_version: deployment.app_version,
  shell_version: deployment.shell_version || null,
  status,
  url: appUrl(settings, app),
  file_count: deployment.file_count,
  // Statements replace this value, because only the database knows it.
  bytes_new: null,
});

/** Returns the audit entry of a change of a deployment. */
export const auditedDeployment = (
  caller: Actor,
  companyId: number,
  id: string,
  verb: "created" | "deleted" | "finalized" | "rolled_back",
  now: number,
) => ({ actor: actorOf(caller), companyId, action: `deployment.${verb}`, target: `deployment:${id}`, now });
