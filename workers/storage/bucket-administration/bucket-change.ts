import type { BucketRow } from "../../../db/storage/schema";
import { actionEntry, actorOf, changeEntry } from "../../kit/audit/audit";
import { followedBy } from "../../kit/db/statement";
import { uuid } from "../../kit/ids";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-store/new-event";
import { eventActor, type UserActor } from "../../kit/webhooks/events/event-actor";
import { findBucket } from "../buckets/bucket";
import { addBucketEvent, findCompany, openCompany, refreshCompany } from "../companies/company";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { endUploads, expireUploadsOf } from "../uploads/sweep";
import { addBucket, changeBucket, deleteBucket } from "./bucket-change.store";

const MAX_BUCKETS = 100;
/** Maximum number of uploads that a request ends when it deletes their bucket. The sweep ends the rest. */
const MAX_ENDED_UPLOADS = 200;

/** The editable fields of a bucket. */
export type BucketFields = Pick<BucketRow, "display_name" | "file_size_limit" | "allowed_mime_types">;

/**
 * Creates a custom bucket and its event. Throws 409 `bucket_name_taken`, or `bucket_limit_reached` when the company has 100
 * buckets.
 */
export async function createBucket(
  services: StorageServices,
  companyId: number,
  caller: UserActor,
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
  const { storedBucket } = await batchWithEvents(
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
      storedBucket: findBucket({ companyId, name }),
    },
    [{ id: eventId, company_id: companyId }],
  );
  if (storedBucket.first === null) throw new Problem("bucket_limit_reached");
  if (storedBucket.first.id !== id) throw new Problem("bucket_name_taken");
}

/** Updates a bucket. Omitted fields keep their values. Throws 404 `bucket_not_found` if it was deleted meanwhile. */
export async function updateBucket(
  services: StorageServices,
  caller: UserActor,
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

/** Deletes an empty bucket and ends its open uploads. Throws 409 `bucket_not_empty`. */
export async function removeBucket(
  services: StorageServices,
  caller: UserActor,
  { id, company_id: companyId, name }: BucketRow,
): Promise<void> {
  const now = services.clock.now();
  const db = services.dbOf(companyId);
  const { remaining, uploads } = await db.batch({
    deleted: followedBy(
      deleteBucket({ id, companyId }),
      changeEntry(auditedBucket(caller, { companyId, name }, "deleted", now)),
    ),
    remaining: findBucket({ companyId, name }),
    uploads: expireUploadsOf({ bucketId: id, now }),
  });
  if (remaining.first?.id === id) throw new Problem("bucket_not_empty");
  await endUploads(services, db, now, uploads.rows.slice(0, MAX_ENDED_UPLOADS));
}

/** Inserts the audit entry before a bucket is emptied, because emptying takes an unknown number of batches. */
export async function auditEmptying(
  { clock, dbOf }: StorageServices,
  caller: UserActor,
  { company_id: companyId, name }: BucketRow,
): Promise<void> {
  await dbOf(companyId).run(actionEntry(auditedBucket(caller, { companyId, name }, "emptied", clock.now())));
}

const auditedBucket = (
  caller: UserActor,
  { companyId, name }: { companyId: number; name: string },
  verb: "created" | "updated" | "deleted" | "emptied",
  now: number,
) => ({ actor: actorOf(caller), companyId, action: `bucket.${verb}`, target: `bucket:${name}`, now });
