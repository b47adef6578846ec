import type { ObjectRow } from "../../../db/storage/schema";
import { uuid } from "../../kit/ids";
import { batchWithEvents } from "../../kit/webhooks/event-store/new-event";
import type { Person } from "../companies/company";
import { Problem } from "../problem";
import { bytesFor, RESERVATION_MS, refuseByFacts, releaseExpired, reserveInBatch } from "../quotas/reservation";
import type { StorageServices } from "../services";
import { type Change, commitStatements } from "./commit";
import { findVersion } from "./commit.store";
import { checkTaken, type Ends, findEnds, overwriting, type Relocation } from "./relocation";

const MAX_TRIES = 5;

/**
 * Copies an object without its bytes: the copy has the same blob, and the caller as its owner. Quota, object and event are one
 * batch, tried again where another change of the destination came first: five times, then 409 `concurrent_modification`. What
 * is copied is the version that stood when the call read it, whose blob outlives it by far longer than a call takes.
 */
export async function copyObject(
  services: StorageServices,
  companyId: number,
  person: Person,
  relocation: Relocation,
  isUpsert: boolean,
): Promise<ObjectRow> {
  const ends = await findEnds(services, companyId, person, relocation);
  const mayReplace = overwriting(isUpsert);
  mayReplace(ends.old);
  checkTaken(services, ends);
  const change = changeOf(ends, person, relocation.destination.path);
  let seen = ends.old;
  let hasReleased = false;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    mayReplace(seen);
    const { version, facts, wanted } = await runCopy(services, change, seen);
    if (version?.change_id === change.id) return version;
    if (facts?.reserved_by !== change.id) {
      if (hasReleased || !(await releaseExpired(services, companyId))) await refuseByFacts(services, wanted, facts);
      hasReleased = true;
    }
    seen = version;
  }
  throw new Problem("concurrent_modification");
}

function changeOf({ to, source }: Ends, person: Person, path: string): Change {
  const { size, etag, sha256, metadata } = source;
  return {
    id: uuid(),
    bucket: to,
    person,
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

async function runCopy(services: StorageServices, change: Change, old: ObjectRow | null) {
  const { clock, dbOf, webhooks } = services;
  const { id, bucket, person, path: name, blobKey } = change;
  const now = clock.now();
  const at = { bucketId: bucket.id, name };
  const { statements, eventId, keys } = commitStatements(services, change, old);
  const wanted = {
    id,
    companyId: bucket.company_id,
    userId: person.userId,
    blobKey,
    r2UploadId: null,
    ...bytesFor(change.size, person.userId, old),
    expiresAt: now + RESERVATION_MS,
  };
  const { before, after } = reserveInBatch(wanted, { ...at, eventId }, now);
  const { facts, version } = await batchWithEvents(
    webhooks,
    dbOf(bucket.company_id),
    {
      ...before,
      ...statements,
      leftOfCompany: after.companies,
      leftOfUser: after.users,
      left: after.reservations,
      version: findVersion(at),
    },
    keys,
  );
  return { version: version.first, facts: facts.first, wanted };
}
