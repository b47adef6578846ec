import type { BucketRow } from "../../../db/storage/schema";
import { actEntry, actorOf, changeEntry } from "../../kit/audit/audit";
import { followedBy } from "../../kit/db/statement";
import { uuid } from "../../kit/ids";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-store/new-event";
import { findBucket } from "../buckets/bucket";
import {
  addBucketEvent,
  eventActor,
  findCompany,
  openCompany,
  type Person,
  refreshCompany,
} from "../companies/company";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { endUploads, expireUploadsOf } from "../uploads/sweep";
import { addBucket, changeBucket, deleteBucket } from "./bucket-change.store";

const MAX_BUCKETS = 100;
/** Uploads that a call ends with their bucket; any more are over too, and the sweep ends them. */
const MAX_ENDED = 200;

/** What may be said of a bucket. */
export type BucketFields = Pick<BucketRow, "display_name" | "file_size_limit" | "allowed_mime_types">;

/** Makes a further bucket with its event; 409 `bucket_name_taken`, `bucket_limit_reached` after 100. */
export async function createBucket(
  services: StorageServices,
  companyId: number,
  caller: Person,
  bucket: BucketFields & { name: string },
): Promise<void> {
  const { clock, dbOf, webhooks } = services;
  const db = dbOf(companyId);
  const company = await db.first(findCompany({ companyId }));
  if (company === null) await openCompany(services, companyId, caller);
  refreshCompany(services, company);
  const { name, display_name, file_size_limit, allowed_mime_types } = bucket;
  const [id, eventId, now] = [uuid(), uuid(), clock.now()];
  const data = storableData({ bucket_id: id, bucket_name: name, bucket_kind: "custom" });
  const { made } = await batchWithEvents(
    webhooks,
    db,
    {
      bucket: followedBy(
        addBucket({
          id,
          companyId,
          name,
          ownerId: caller.userId,
          limit: MAX_BUCKETS,
          now,
          displayName: display_name,
          fileSizeLimit: file_size_limit,
          allowedMimeTypes: allowed_mime_types,
        }),
        changeEntry(auditedBucket(caller, { companyId, name }, "created", now)),
      ),
      event: addBucketEvent({ id: eventId, companyId, data, bucketId: id, now, ...eventActor(caller) }),
      made: findBucket({ companyId, name }),
    },
    [{ id: eventId, company_id: companyId }],
  );
  if (made.first === null) throw new Problem("bucket_limit_reached");
  if (made.first.id !== id) throw new Problem("bucket_name_taken");
}

/** Changes a bucket; what is left out stays. 404 `bucket_not_found` when it went meanwhile. */
export async function updateBucket(
  services: StorageServices,
  caller: Person,
  row: BucketRow,
  change: { [K in keyof BucketFields]?: BucketFields[K] | undefined },
): Promise<BucketRow> {
  const { display_name = row.display_name, file_size_limit = row.file_size_limit } = change;
  const { allowed_mime_types = row.allowed_mime_types } = change;
  const { id, name, company_id: companyId } = row;
  const now = services.clock.now();
  const changed = await services.dbOf(companyId).first(
    followedBy(
      changeBucket({
        id,
        companyId,
        now,
        displayName: display_name,
        fileSizeLimit: file_size_limit,
        allowedMimeTypes: allowed_mime_types,
      }),
      changeEntry({ ...auditedBucket(caller, { companyId, name }, "updated", now), changes: change }),
    ),
  );
  if (changed === null) throw new Problem("bucket_not_found");
  return changed;
}

/** Removes a bucket that is empty, with the uploads that are open in it; else 409 `bucket_not_empty`. */
export async function removeBucket(
  services: StorageServices,
  caller: Person,
  { id, company_id: companyId, name }: BucketRow,
): Promise<void> {
  const now = services.clock.now();
  const db = services.dbOf(companyId);
  const { left, uploads } = await db.batch({
    deleted: followedBy(
      deleteBucket({ id, companyId }),
      changeEntry(auditedBucket(caller, { companyId, name }, "deleted", now)),
    ),
    left: findBucket({ companyId, name }),
    uploads: expireUploadsOf({ bucketId: id, now }),
  });
  if (left.first?.id === id) throw new Problem("bucket_not_empty");
  await endUploads(services, db, now, uploads.rows.slice(0, MAX_ENDED));
}

/** Writes the audit entry of a bucket that is about to be emptied, which takes any number of batches. */
export async function auditEmptying(
  { clock, dbOf }: StorageServices,
  caller: Person,
  { company_id: companyId, name }: BucketRow,
): Promise<void> {
  await dbOf(companyId).run(actEntry(auditedBucket(caller, { companyId, name }, "emptied", clock.now())));
}

const auditedBucket = (
  caller: Person,
  { companyId, name }: { companyId: number; name: string },
  verb: "created" | "updated" | "deleted" | "emptied",
  now: number,
) => ({ actor: actorOf(caller), companyId, action: `bucket.${verb}`, target: `bucket:${name}`, now });
