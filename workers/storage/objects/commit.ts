import type { BucketRow, ObjectRow } from "../../../db/storage/schema";
import type { BatchItem } from "../../kit/db/db";
import { uuid } from "../../kit/ids";
import { HOUR_MS } from "../../kit/time";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-store/new-event";
import { eventActor, type Person } from "../companies/company";
import { Problem } from "../problem";
import { bytesFor, RESERVATION_MS, releaseNow, reserveBytes, settlement } from "../quotas/reservation";
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

/** A stored blob that is to become the version of a path. `id` is the change's, and its reservation's. */
export type Change = {
  id: string;
  bucket: Pick<BucketRow, "id" | "name" | "kind" | "company_id">;
  person: Person;
  path: string;
  size: number;
  etag: string;
  sha256: string | null;
  mimeType: string;
  cacheControl: string | null;
  contentEncoding: string | null;
  metadata: Record<string, unknown> | null;
  blobKey: string;
  /** of its Idempotency-Key */
  uploadKey: string | null;
};

/**
 * What an upload in parts adds to its commit: `beside` are statements of the same batch, guarded like all of it; `onLost` throws
 * where the change without a reservation is one that was made already, or that was given up.
 */
export type CommitOptions = { beside?: Record<string, BatchItem>; onLost?: () => Promise<void> };

/**
 * Makes a stored blob the version of its path: object, quotas, blobs, event and deliveries in one batch, which may be repeated.
 * Where another change came first, `mayReplace` judges what stands there now, bytes are reserved anew, and it is tried again:
 * five times, then 409 `concurrent_modification`. A version of the same Idempotency-Key is answered as it stands. Where the
 * change is not committed, what it has reserved is released.
 */
export async function commitObject(
  services: StorageServices,
  change: Change,
  old: ObjectRow | null,
  mayReplace: (old: ObjectRow | null) => void,
  options: CommitOptions = {},
): Promise<ObjectRow> {
  let seen = old;
  let wasLost = false;
  try {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { version, reservation } = await runCommit(services, change, seen, options.beside);
      if (version?.change_id === change.id) return version;
      const isChanged = version?.change_id !== seen?.change_id;
      if (isChanged && version !== null && change.uploadKey !== null && version.upload_key === change.uploadKey) {
        await releaseNow(services, change.bucket.company_id, change.id);
        return version;
      }
      const isLost = reservation === null;
      if (isLost) await options.onLost?.();
      mayReplace(version);
      // Nothing came first: the bucket is gone, or the blob is being removed whose reservation was lost.
      if (!isLost && !isChanged) {
        throw new Problem(wasLost ? "storage_error" : "bucket_not_found");
      }
      await reserveAnew(services, change, version);
      // Behind the reservation, which takes the blob back from the sweeper or finds it marked: before, it could still go.
      if (isLost && (await services.objects.head(change.blobKey)) === null) throw new Problem("storage_error");
      seen = version;
      wasLost = isLost;
    }
    throw new Problem("concurrent_modification");
  } catch (error) {
    await releaseNow(services, change.bucket.company_id, change.id);
    throw error;
  }
}

async function reserveAnew(
  services: StorageServices,
  { id, bucket, person, size, blobKey }: Change,
  old: ObjectRow | null,
): Promise<void> {
  const owner = { companyId: bucket.company_id, userId: person.userId };
  const bytes = bytesFor(size, person.userId, old);
  const expiresAt = services.clock.now() + RESERVATION_MS;
  const wanted = { id, ...owner, ...bytes, blobKey, r2UploadId: null, expiresAt };
  await reserveBytes(services, wanted, { instead: true });
}

async function runCommit(
  services: StorageServices,
  change: Change,
  old: ObjectRow | null,
  beside: Record<string, BatchItem> = {},
) {
  const { statements, keys } = commitStatements(services, change, old);
  const { end, ...before } = statements;
  const at = { bucketId: change.bucket.id, name: change.path };
  const found = await batchWithEvents(
    services.webhooks,
    services.dbOf(change.bucket.company_id),
    { ...before, ...beside, end, version: findVersion(at), reservation: findReservation({ id: change.id }) },
    keys,
  );
  return { version: found.version.first, reservation: found.reservation.first };
}

/** The statements of a commit over the version that the caller saw, and the keys of the events among them. */
export function commitStatements({ clock }: Pick<StorageServices, "clock">, change: Change, old: ObjectRow | null) {
  const now = clock.now();
  const { bucket, person, path, size } = change;
  const companyId = bucket.company_id;
  const at = { bucketId: bucket.id, name: path, change: change.id };
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
  const settled = settlement({ ...at, companyId, userId: person.userId, size, old }, now);
  const isTold = !isMarker(path, size);
  const event = {
    ...at,
    id: eventId,
    companyId,
    type: "storage.object.uploaded",
    data,
    now,
    ...eventActor(person),
  };
  return {
    statements: {
      object: writeVersion({
        seen: old?.change_id ?? "",
        change: change.id,
        id,
        bucketId: bucket.id,
        companyId,
        ownerId: person.userId,
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
      ...settled.statements,
      blob: holdBlob({ ...at, key: change.blobKey, companyId, size }),
      formerBlob: old === null ? null : dropBlob({ ...at, key: old.blob_key, now }),
      event: isTold ? addChangeEvent(event) : null,
      hour: isTold ? countUpload({ ...at, companyId, hour: Math.floor(now / HOUR_MS), bytes: size }) : null,
      end: settled.end,
    },
    /** the event that tells of the change; null for a folder marker */
    eventId: isTold ? eventId : null,
    keys: [...settled.keys, ...(isTold ? [{ id: eventId, company_id: companyId }] : [])],
  };
}
