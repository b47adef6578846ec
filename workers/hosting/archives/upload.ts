import type { DeploymentRow } from "../../../db/hosting/schema";
import { actorOf, changeEntry } from "../../kit/audit/audit";
import { followedBy } from "../../kit/db/statement";
import { declaredLength, drain, partsOf } from "../../kit/files/body";
import { type Incoming, openBody } from "../../kit/files/form-body";
import { putBytes, putParts, putStream } from "../../kit/files/r2-body";
import { mediaTypeOf } from "../../kit/http/request/form";
import { uuid } from "../../kit/ids";
import { invalid } from "../../kit/problem";
import type { UserActor } from "../../kit/webhooks/events/event-actor";
import { findDeploymentById } from "../deployments/deployment";
import { artifactKey } from "../files/keys";
import { Problem } from "../problem";
import type { HostingServices } from "../services";
import { endUpload, finishUpload, renewUpload, startUpload, UPLOAD_LEASE_MS } from "./upload.store";

const noChecksums = { md5: null, sha256: null };
/** The fields and boundaries of a form, by which its declared length exceeds that of its file. */
const FORM_BYTES = 128 * 1024;

/**
 * Streams the archive in a request to R2 and returns the deployment, which can be finalized then. A failed upload leaves the
 * deployment and its earlier archive as they were. Throws 413 `upload_too_large` (before the body is read, if its length is
 * declared), 409 `invalid_deployment_status`, 400 `incomplete_body` or `body: [blank]`, or 502 `storage_error`.
 */
export async function uploadArchive(
  services: HostingServices,
  request: Request,
  deployment: DeploymentRow,
  caller: UserActor,
): Promise<DeploymentRow> {
  const { uploadBytes } = services.settings.limits;
  const isForm = mediaTypeOf(request) === "multipart/form-data";
  checkSize(declaredLength(request) ?? 0, uploadBytes + (isForm ? FORM_BYTES : 0));
  const incoming = await openBody(request);
  try {
    return await storeArchive(services, request, { incoming, deployment, caller });
  } catch (error) {
    // A client that is still sending gets the response only if its body is read.
    await drain(incoming.chunks, request);
    throw error;
  }
}

function checkSize(size: number, limit: number): void {
  if (size > limit) throw new Problem("upload_too_large");
}

type Upload = { incoming: Incoming; deployment: DeploymentRow; caller: UserActor };

async function storeArchive(
  services: HostingServices,
  request: Request,
  { incoming, deployment, caller }: Upload,
): Promise<DeploymentRow> {
  const { clock } = services;
  const { id, company_id: companyId, status, error } = deployment;
  const db = services.dbOf(companyId);
  const key = { id, companyId, token: uuid() };
  const started = await db.run(startUpload({ ...key, now: clock.now() }));
  if (started.changes === 0) throw await refusal(services, deployment);
  const heartbeat = setInterval(
    () => services.waitUntil(db.run(renewUpload({ ...key, now: clock.now() })).catch(() => undefined)),
    UPLOAD_LEASE_MS / 3,
  );
  try {
    const size = await storeBody(services, request, incoming, artifactKey(companyId, id));
    const now = clock.now();
    const entry = { actor: actorOf(caller), companyId, action: "deployment.uploaded", target: `deployment:${id}`, now };
    const { uploaded } = await db.batch({
      uploaded: followedBy(finishUpload({ ...key, size, now }), changeEntry(entry)),
    });
    if (uploaded.first === null) throw await refusal(services, deployment);
    return uploaded.first;
  } catch (cause) {
    const previous = status === "uploading" ? "draft" : status;
    await db.run(endUpload({ ...key, previous, error }));
    throw cause;
  } finally {
    clearInterval(heartbeat);
  }
}

/** Returns why an upload cannot hold the deployment now. */
async function refusal(services: HostingServices, { id, company_id: companyId }: DeploymentRow): Promise<Problem> {
  const current = await services.dbOf(companyId).first(findDeploymentById({ id, companyId }));
  if (current === null) return new Problem("not_found");
  // A clean-up holds a failed deployment for a moment, while it removes its files.
  if (current.status === "failed") return new Problem("service_unavailable", { headers: { "retry-after": "60" } });
  return new Problem("invalid_deployment_status");
}

/** Streams the file of a request to R2. Returns its size in bytes. */
async function storeBody(
  services: HostingServices,
  request: Request,
  incoming: Incoming,
  key: string,
): Promise<number> {
  const { uploadBytes } = services.settings.limits;
  const store = { objects: services.files, log: services.log };
  if (incoming.length !== null && incoming.length > 0 && request.body !== null) {
    const { size } = await putStream(store, key, request.body, { size: incoming.length, checksums: noChecksums });
    return size;
  }
  const parts = partsOf(incoming.chunks, declaredLength(request) ?? undefined);
  const { bytes, isLast } = (await parts.next()).value as { bytes: Uint8Array; isLast: boolean };
  if (bytes.length === 0) throw invalid({ body: ["blank"] });
  checkSize(bytes.length, uploadBytes);
  const stored = isLast
    ? await putBytes(store, key, bytes, noChecksums)
    : await putParts(store, key, bytes, parts, {
        checksums: noChecksums,
        onOpened: async () => undefined,
        beforePart: async (size) => checkSize(size, uploadBytes),
      });
  return stored.size;
}
