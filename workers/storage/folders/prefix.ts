import type { BucketRow } from "../../../db/storage/schema";
import { uuid } from "../../kit/ids";
import { batchWithEvents } from "../../kit/webhooks/event-store/new-event";
import { eventActor, type UserActor } from "../../kit/webhooks/events/event-actor";
import { findCompany, refreshCompany } from "../companies/company";
import { MARKER, MAX_PATH_BYTES, namesFrom, parentKey } from "../objects/path";
import { Problem } from "../problem";
import { removeBelow } from "../removal/removal";
import type { StorageServices } from "../services";
import { addRenameEvent, checkRename, countObjects, findRenameEvent, renameObjects } from "./prefix.store";

const MAX_RENAMED = 10_000;

const DESTINATION_EXISTS = "There is an object at the new path or below it; nothing is replaced.";
const PATH_TOO_LONG = `A path below the folder would be longer than ${MAX_PATH_BYTES} bytes.`;

/** Returns the number of objects below a folder and their bytes. An empty prefix means the whole bucket. */
export async function countBelow(services: StorageServices, bucket: BucketRow, prefix: string) {
  const count = countObjects({ bucketId: bucket.id, ...namesFrom(prefix), marker: MARKER });
  const counts = await services.dbOf(bucket.company_id).first(count);
  const { objects, markers, bytes } = counts ?? { objects: 0, markers: 0, bytes: 0 };
  return {
    prefix,
    object_count: objects,
    file_count: objects - markers,
    placeholder_count: markers,
    total_bytes: bytes,
  };
}

/**
 * Renames a folder and everything below it in one statement, with one event. The new path must be free. Throws 400
 * `invalid_prefix`, `invalid_destination` or `resource_already_exists`, 404 `folder_not_found` and 409 `prefix_too_large`.
 */
export async function renameBelow(
  services: StorageServices,
  bucket: BucketRow,
  user: UserActor,
  { from, to }: { from: string; to: string },
): Promise<{ from: string; to: string; moved: number }> {
  if (from === "") throw new Problem("invalid_prefix");
  if (to === "") throw new Problem("invalid_destination", { message: "A folder cannot be moved to the top." });
  if (to.startsWith(`${from}/`)) throw new Problem("invalid_destination");
  if (from === to) return { from, to, moved: 0 };
  const { clock, dbOf, webhooks } = services;
  const [names, target] = [namesFrom(from), namesFrom(to)];
  const companyId = bucket.company_id;
  const renameCheck = {
    bucketId: bucket.id,
    ...names,
    to,
    toStart: target.start,
    toEnd: target.end,
    maxObjects: MAX_RENAMED,
  };
  const rename = { ...renameCheck, maxBytes: MAX_PATH_BYTES };
  const eventId = uuid();
  const event = {
    id: eventId,
    companyId,
    bucketName: bucket.name,
    fromPath: from,
    now: clock.now(),
    ...eventActor(user),
  };
  const { facts, renamed, renameEvent, company } = await batchWithEvents(
    webhooks,
    dbOf(companyId),
    {
      facts: checkRename(renameCheck),
      event: addRenameEvent({ ...rename, ...event, marker: MARKER }),
      renamed: renameObjects({ ...rename, parentFrom: parentKey(from), parentTo: parentKey(to) }),
      renameEvent: findRenameEvent({ companyId, id: eventId }),
      company: findCompany({ companyId }),
    },
    [{ id: eventId, company_id: companyId }],
  );
  refreshCompany(services, company.first);
  // A batch that is repeated has nothing left to rename, but finds the event of the first run.
  const moved = renameEvent.first?.moved ?? renamed.changes;
  if (moved > 0) return { from, to, moved };
  if (facts.first === null || facts.first.objects === 0) throw new Problem("folder_not_found");
  if (facts.first.is_taken) throw new Problem("resource_already_exists", { message: DESTINATION_EXISTS });
  if (facts.first.objects > MAX_RENAMED) throw new Problem("prefix_too_large");
  throw new Problem("invalid_destination", { message: PATH_TOO_LONG });
}

/**
 * Deletes the objects below a folder until none is left or 20 seconds have passed. `complete` is true if none is left.
 * Throws 400 `invalid_prefix` for the top of the bucket.
 */
export async function removePrefix(services: StorageServices, bucket: BucketRow, user: UserActor, prefix: string) {
  if (prefix === "") throw new Problem("invalid_prefix");
  const { deleted, complete } = await removeBelow(services, bucket, user, prefix);
  return { prefix, deleted: deleted > 0, count: deleted, complete };
}
