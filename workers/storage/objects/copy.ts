import type { ObjectRow } from "../../../db/storage/schema";
import { uuid } from "../../kit/ids";
import { batchWithEvents } from "../../kit/webhooks/event-store/new-event";
import type { UserActor } from "../../kit/webhooks/events/event-actor";
import { Problem } from "../problem";
import { bytesFor, RESERVATION_MS, rejectByFacts, releaseExpired, reserveInBatch } from "../quotas/reservation";
import type { StorageServices } from "../services";
import { type Change, commitStatements } from "./commit";
import { findVersion } from "./commit.store";
import {
  checkDestination,
  type LoadedRelocation,
  loadRelocation,
  type Relocation,
  replacementCheck,
} from "./relocation";

const MAX_TRIES = 5;

/**
 * Copies an object without copying its bytes. The copy shares the blob and belongs to the caller. One batch writes quota,
 * object and event. When another change of the destination is stored first, the batch is retried. After five attempts this
 * throws 409 `concurrent_modification`. Copies the version that was loaded, even if it is replaced meanwhile, because its
 * blob is kept for much longer than a request takes.
 */
export async function copyObject(
  services: StorageServices,
  companyId: number,
  user: UserActor,
  relocation: Relocation,
  isUpsert: boolean,
): Promise<ObjectRow> {
  const loaded = await loadRelocation(services, companyId, user, relocation);
  const checkReplacement = replacementCheck(isUpsert);
  checkReplacement(loaded.old);
  checkDestination(services, loaded);
  const change = changeOf(loaded, user, relocation.destination.path);
  let loadedVersion = loaded.old;
  let hasReleased = false;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    checkReplacement(loadedVersion);
    const { version, facts, reservation } = await commitCopy(services, change, loadedVersion);
    if (version?.change_id === change.id) return version;
    if (facts?.reserved_by !== change.id) {
      if (hasReleased || !(await releaseExpired(services, companyId)))
        await rejectByFacts(services, reservation, facts);
      hasReleased = true;
    }
    loadedVersion = version;
  }
  throw new Problem("concurrent_modification");
}

function changeOf({ to, source }: LoadedRelocation, user: UserActor, path: string): Change {
  const { size, etag, sha256, metadata } = source;
  return {
    id: uuid(),
    bucket: to,
    user,
    path,
    size,
    etag,
    sha256,
    metadata,
    uploadKey: null,
    mimeType: source.mime_type,
    cacheControl: source.cache_control,
    blobKey: source.blob_key,
    contentEncoding: source.content_encoding,
  };
}

async function commitCopy(services: StorageServices, change: Change, old: ObjectRow | null) {
  const { clock, dbOf, webhooks } = services;
  const { id, bucket, user, path: name, blobKey } = change;
  const now = clock.now();
  const objectKey = { bucketId: bucket.id, name };
  const { statements, eventId, keys } = commitStatements(services, change, old);
  const reservation = {
    id,
    companyId: bucket.company_id,
    userId: user.userId,
    blobKey,
    r2UploadId: null,
    ...bytesFor(change.size, user.userId, old),
    expiresAt: now + RESERVATION_MS,
  };
  const { before, after } = reserveInBatch(reservation, { ...objectKey, eventId }, now);
  const { facts, version } = await batchWithEvents(
    webhooks,
    dbOf(bucket.company_id),
    {
      ...before,
      ...statements,
      companyRelease: after.companies,
      userRelease: after.users,
      reservationRelease: after.reservations,
      version: findVersion(objectKey),
    },
    keys,
  );
  return { version: version.first, facts: facts.first, reservation };
}
