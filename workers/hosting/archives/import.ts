import type { DeploymentRow } from "../../../db/hosting/schema";
import type { ManifestFile } from "../../../schemas/hosting/manifest";
import { openDigest } from "../../kit/files/checksums";
import { mimeTypeOf } from "../../kit/files/mime-type";
import { uuid } from "../../kit/ids";
import { errorName } from "../../kit/log";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../kit/time";
import { findApp } from "../apps/app";
import { declareBlobs, findMissing, sumMissing } from "../files/blob";
import { TOUCH_MS } from "../files/clean-up";
import { artifactKey } from "../files/keys";
import { distinctFiles, fileAt, loadManifest, storeManifest } from "../files/manifest";
import { activate } from "../releases/activation";
import { readRules } from "../rules/read-rules";
import type { HostingServices } from "../services";
import { enqueueSteps } from "../step-message";
import { ArchiveError } from "../tar/archive-error";
import { readArchive } from "../tar/archive-files";
import { ArtifactMissingError, readArtifact } from "./artifact";
import { endFailed } from "./failure";
import {
  claimImport,
  countFiles,
  findDueImports,
  findUnstored,
  reclaimBlobs,
  releaseImport,
  storeBlobs,
  storeScan,
} from "./import.store";
import { type ImportLease, LeaseLostError, openLease } from "./lease";
import { storeFiles } from "./store-files";

/** A step begins no further file after this time. */
const STEP_MS = 60 * SECOND_MS;
/** A clean-up removes a blob within this time after its mark; see workers/hosting/clean-up/blobs.ts. */
const REMOVAL_MS = 2 * MINUTE_MS;
/** The wait after a failed step. */
const RETRY_MS = 10 * SECOND_MS;
/** An import that made no progress for this long fails. */
const STALLED_MS = HOUR_MS;

/** An import by the id of its deployment. */
export type ImportRow = { id: string; company_id: number };

/** When the next step is due, in ms from now; null at the end. */
type Next = number | null;

/**
 * Runs the next step of an import and requests the one after it. Returns false when no step is due, or another consumer runs it. A step
 * may end at any point and be repeated. An archive that cannot be deployed fails its deployment; other errors are thrown, and the step
 * is repeated.
 */
export async function runImport(services: HostingServices, { id, company_id: companyId }: ImportRow): Promise<boolean> {
  const { clock, log } = services;
  const db = services.dbOf(companyId);
  const key = { id, companyId, token: uuid() };
  const deployment = await db.first(claimImport({ ...key, now: clock.now() }));
  if (deployment === null) return false;
  const lease = openLease(services, key);
  try {
    const next = await runStep(services, deployment, lease);
    log.info("import step", { deployment_id: id, company_id: companyId, next_ms: next });
    if (next !== null) await requestNext(services, lease, next);
  } catch (error) {
    if (error instanceof LeaseLostError) return true;
    if (error instanceof ArchiveError || error instanceof ArtifactMissingError) {
      await endFailed(services, deployment, lease, error);
      return true;
    }
    log.error("import step failed", { deployment_id: id, company_id: companyId, error: errorName(error) });
    await requestNext(services, lease, RETRY_MS);
  }
  return true;
}

async function requestNext(services: HostingServices, { key }: ImportLease, waitMs: number): Promise<void> {
  const { id, companyId } = key;
  const nextStepAt = services.clock.now() + waitMs;
  const { changes } = await services.dbOf(companyId).run(releaseImport({ ...key, nextStepAt }));
  if (changes > 0) await enqueueSteps(services, "extract", [{ id, company_id: companyId }], waitMs / SECOND_MS);
}

/** Requests the imports whose step is due and whose queue message was lost. Called by the sweep every minute. */
export async function enqueueDueImports(services: HostingServices): Promise<void> {
  const due = await services.platformDb.all(findDueImports({ now: services.clock.now() }));
  await enqueueSteps(services, "extract", due);
}

async function runStep(services: HostingServices, deployment: DeploymentRow, lease: ImportLease): Promise<Next> {
  if (deployment.updated_at < services.clock.now() - STALLED_MS) {
    throw new ArchiveError("The import did not end in time. Upload the archive again.");
  }
  if (deployment.file_count === null) await scan(services, deployment, lease);
  const next = await storeMissing(services, deployment, lease);
  return next ?? goLive(services, deployment, lease);
}

/**
 * Reads the whole archive, so that nothing of an invalid one is stored. Declares its files and stores the manifest.
 */
async function scan(services: HostingServices, deployment: DeploymentRow, lease: ImportLease): Promise<void> {
  const { clock, settings } = services;
  const { id, company_id: companyId, not_found } = deployment;
  const db = services.dbOf(companyId);
  const files: [string, ManifestFile][] = [];
  for await (const { path, size, body } of readArchive(readArtifact(services, deployment, lease), settings.limits)) {
    const digest = openDigest("SHA-256");
    for await (const part of body) await digest.add(part);
    files.push([path, { sha256: await digest.end(), size, type: mimeTypeOf(null, path) }]);
  }
  const manifest = { v: 1, files: Object.fromEntries(files), headers: [], redirects: [], not_found } as const;
  const list = distinctFiles(manifest.files);
  const now = clock.now();
  const { missing } = await db.batch({
    missing: findMissing({ companyId, files: list }),
    declared: declareBlobs({ companyId, deploymentId: id, files: list, now, touchedBefore: now - TOUCH_MS }),
  });
  await storeManifest(services, { companyId, deploymentId: id }, { ...manifest, headers: [], redirects: [] });
  const totalBytes = files.reduce((sum, [, { size }]) => sum + size, 0);
  const bytesNew = sumMissing(missing.rows).bytes_missing;
  const stored = await db.run(storeScan({ ...lease.key, fileCount: files.length, totalBytes, bytesNew, now }));
  if (stored.changes === 0) throw new LeaseLostError();
}

/** Stores files that the company does not have yet. Returns when to continue, or null when it has all. */
async function storeMissing(services: HostingServices, deployment: DeploymentRow, lease: ImportLease): Promise<Next> {
  const { clock, settings } = services;
  const { id, company_id: companyId } = deployment;
  const db = services.dbOf(companyId);
  const manifest = await requireManifest(services, deployment);
  const files = distinctFiles(manifest.files);
  const hashes = files.map(([sha256]) => sha256);
  const now = clock.now();
  const { unstored } = await db.batch({
    declared: declareBlobs({ companyId, deploymentId: id, files, now, touchedBefore: now - TOUCH_MS }),
    reclaimed: reclaimBlobs({ companyId, hashes, now, markedBefore: now - REMOVAL_MS }),
    unstored: findUnstored({ companyId, hashes }),
  });
  const wanted = new Set(unstored.rows.flatMap(({ sha256, is_marked }) => (is_marked ? [] : sha256)));
  if (wanted.size > 0) {
    const stored = await storeFiles(services, {
      companyId,
      archive: readArchive(readArtifact(services, deployment, lease), settings.limits),
      fileAt: (path) => fileAt(manifest.files, path),
      wanted,
      stopAt: now + STEP_MS,
    });
    if (stored.length === 0) throw new ArchiveError("The archive was replaced while it was imported.");
    const storedAt = clock.now();
    await db.batch({
      blobs: storeBlobs({ companyId, hashes: stored, now: storedAt }),
      progress: countFiles({ ...lease.key, files: stored.length, now: storedAt }),
    });
  }
  if (wanted.size > 0) return 0;
  return unstored.rows.some(({ is_marked }) => is_marked) ? REMOVAL_MS : null;
}

async function requireManifest(services: HostingServices, { id, company_id: companyId }: DeploymentRow) {
  const manifest = await loadManifest(services, { companyId, deploymentId: id });
  if (manifest === null) throw new Error("the manifest of an import is missing");
  return manifest;
}

/** Makes the deployment live in the batch that deployments by manifest use, and removes the archive. */
async function goLive(services: HostingServices, deployment: DeploymentRow, { key }: ImportLease): Promise<Next> {
  const { id, company_id: companyId, app_id } = deployment;
  const db = services.dbOf(companyId);
  const manifest = await requireManifest(services, deployment);
  const { headers, redirects, warnings } = await readRules(services, companyId, manifest.files);
  if (headers.length + redirects.length > 0) {
    await storeManifest(services, { companyId, deploymentId: id }, { ...manifest, headers, redirects });
  }
  const app = await db.first(findApp({ companyId, app: app_id }));
  if (app === null) return null;
  const { isDone, missing } = await activate(
    services,
    app,
    deployment,
    { kind: "service", userId: null, email: null },
    {
      type: "hosting.deployment.succeeded",
      statuses: ["extracting"],
      lease: key.token,
      files: distinctFiles(manifest.files),
      warnings,
      fileCount: null,
      totalBytes: null,
      bytesNew: null,
    },
  );
  if (isDone) await services.files.delete(artifactKey(companyId, id));
  return isDone || missing.length === 0 ? null : 0;
}
