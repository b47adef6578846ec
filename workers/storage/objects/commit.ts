import type { BucketRow, ObjectRow } from "../../../db/storage/schema";
import type { BatchItem } from "../../kit/db/db";
import { uuid } from "../../kit/ids";
import { HOUR_MS } from "../../kit/time";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-store/new-event";
import { eventActor, type UserActor } from "../../kit/webhooks/events/event-actor";
import { Problem } from "../problem";
import { bytesFor, RESERVATION_MS, releaseNow, reserveBytes, settlementStatements } from "../quotas/reservation";
import type { StorageServices } from "../services";
import {
  addChangeEvent,
  countUpload,
  dropBlob,
  findReservation,
  findVersion,
  holdBlob,
  writeVersion,
} from "./commit.store";
import { isMarker, parentOf } from "./path";

const MAX_TRIES = 5;

/** A change that makes a stored blob the version at a path. `id` identifies both the change and its reservation. */
export type Change = {
  id: string;
  bucket: Pick<BucketRow, "id" | "name" | "kind" | "company_id">;
  user: UserActor;
  path: string;
  size: number;
  etag: string;
  sha256: string | null;
  mimeType: string;
  cacheControl: string | null;
  contentEncoding: string | null;
  metadata: Record<string, unknown> | null;
  blobKey: string;
  /** derived from the Idempotency-Key */
  uploadKey: string | null;
};

/**
 * Options for the commit of a multipart upload. `extraStatements` run in the same batch under the same condition. `onLost`
 * runs when the reservation is gone; it throws if the upload was already completed or aborted.
 */
export type CommitOptions = { extraStatements?: Record<string, BatchItem>; onLost?: () => Promise<void> };

/**
 * Makes a stored blob the version at its path. One idempotent batch writes object, quotas, blobs, event and deliveries. If
 * another change won the race, checks the new version with `checkReplacement`, reserves the bytes again and retries the commit.
 * Throws 409 `concurrent_modification` after five attempts. Returns the existing version if it has the same Idempotency-Key.
 * Releases the reservation when the commit fails.
 */
export async function commitObject(
  services: StorageServices,
  change: Change,
  old: ObjectRow | null,
  checkReplacement: (old: ObjectRow | null) => void,
  options: CommitOptions = {},
): Promise<ObjectRow> {
  let loadedVersion = old;
  let wasLost = false;
  try {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { version, reservation } = await runCommit(services, change, loadedVersion, options.extraStatements);
      if (version?.change_id === change.id) return version;
      const isChanged = version?.change_id !== loadedVersion?.change_id;
      if (isChanged && version !== null && change.uploadKey !== null && version.upload_key === change.uploadKey) {
        await releaseNow(services, change.bucket.company_id, change.id);
        return version;
      }
      const isLost = reservation === null;
      if (isLost) await options.onLost?.();
      checkReplacement(version);
      // The batch changed nothing, although the reservation exists and no other change was stored. Either the bucket was
      // deleted, or the reservation was lost in the previous try and the sweep is removing the blob.
      if (!isLost && !isChanged) {
        throw new Problem(wasLost ? "storage_error" : "bucket_not_found");
      }
      await reserveAgain(services, change, version);
      // Check the blob only after the reservation, which protects it from the sweep. Before that, the sweep could still
      // remove it.
      if (isLost && (await services.objects.head(change.blobKey)) === null) throw new Problem("storage_error");
      loadedVersion = version;
      wasLost = isLost;
    }
    throw new Problem("concurrent_modification");
  } catch (error) {
    await releaseNow(services, change.bucket.company_id, change.id);
    throw error;
  }
}

async function reserveAgain(
  services: StorageServices,
  { id, bucket, user, size, blobKey }: Change,
  old: ObjectRow | null,
): Promise<void> {
  const owner = { companyId: bucket.company_id, userId: user.userId };
  const bytes = bytesFor(size, user.userId, old);
  const expiresAt = services.clock.now() + RESERVATION_MS;
  const reservation = { id, ...owner, ...bytes, blobKey, r2UploadId: null, expiresAt };
  await reserveBytes(services, reservation, { replacesExisting: true });
}

async function runCommit(
  services: StorageServices,
  change: Change,
  old: ObjectRow | null,
  extraStatements: Record<string, BatchItem> = {},
) {
  const { statements, keys } = commitStatements(services, change, old);
  const { end, ...before } = statements;
  const objectKey = { bucketId: change.bucket.id, name: change.path };
  const results = await batchWithEvents(
    services.webhooks,
    services.dbOf(change.bucket.company_id),
    {
      ...before,
      ...extraStatements,
      end,
      version: findVersion(objectKey),
      reservation: findReservation({ id: change.id }),
    },
    keys,
  );
  return { version: results.version.first, reservation: results.reservation.first };
}

/**
 * Returns the statements that commit a change, and the keys of their events. They change nothing unless `old`, the version
 * that the caller loaded, is still current.
 */
export function commitStatements({ clock }: Pick<StorageServices, "clock">, change: Change, old: ObjectRow | null) {
  const now = clock.now();
  const { bucket, user, path, size } = change;
  const companyId = bucket.company_id;
  const objectChange = { bucketId: bucket.id, name: path, change: change.id };
  const id = old?.id ?? uuid();
  const eventId = uuid();
  const data = storableData({
    object_id: id,
    bucket_name: bucket.name,
    bucket_kind: bucket.kind,
    path,
    size,
    mime_type: change.mimeType,
    version: (old?.version ?? 0) + 1,
    created: old === null,
  });
  const settlementResult = settlementStatements({ ...objectChange, companyId, userId: user.userId, size, old }, now);
  const hasEvent = !isMarker(path, size);
  const event = {
    ...objectChange,
    id: eventId,
    companyId,
    type: "storage.object.uploaded",
    data,
    now,
    ...eventActor(user),
  };
  return {
    statements: {
      object: writeVersion({
        previousChangeId: old?.change_id ?? "",
        change: change.id,
        id,
        bucketId: bucket.id,
        companyId,
        ownerId: user.userId,
        name: path,
        parent: parentOf(path),
        size,
        etag: change.etag,
        sha256: change.sha256,
        mimeType: change.mimeType,
        cacheControl: change.cacheControl,
        contentEncoding: change.contentEncoding,
        metadata: change.metadata,
        blobKey: change.blobKey,
        uploadKey: change.uploadKey,
        now,
      }),
      ...settlementResult.statements,
      blob: holdBlob({ ...objectChange, key: change.blobKey, companyId, size }),
      replacedBlob: old === null ? null : dropBlob({ ...objectChange, key: old.blob_key, now }),
      event: hasEvent ? addChangeEvent(event) : null,
      hour: hasEvent ? countUpload({ ...objectChange, companyId, hour: Math.floor(now / HOUR_MS), bytes: size }) : null,
      end: settlementResult.end,
    },
    /** id of the event; null for a folder marker */
    eventId: hasEvent ? eventId : null,
    keys: [...settlementResult.keys, ...(hasEvent ? [{ id: eventId, company_id: companyId }] : [])],
  };
}
