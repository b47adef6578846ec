import type { BucketRow } from "../../../db/storage/schema";
import { COMPANY_BUCKET } from "../../../schemas/storage/buckets";
import { actEntry, actorOf, changeEntry } from "../../kit/audit/audit";
import { followedBy } from "../../kit/db/statement";
import { uuid } from "../../kit/ids";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-store/new-event";
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
import { addBucket, changeBucket, deleteBucket, findBucket, listBuckets } from "./bucket.store";

export { findBucket } from "./bucket.store";

const MAX_BUCKETS = 100;
/** Uploads that a call ends with their bucket; any more are over too, and the sweep ends them. */
const MAX_ENDED = 200;

/** The bucket `company` before the first call of its company, which the handler of a call opens. */
const UNOPENED = "unopened";
export type FoundBucket = BucketRow | typeof UNOPENED;

/** What a call found of a bucket by its name: null where there is none. */
export const foundBucket = (name: string, row: BucketRow | null): FoundBucket | null =>
  row ?? (name === COMPANY_BUCKET ? UNOPENED : null);

/** The row of a found bucket, null before the first call of its company that stores something: then it is empty. */
export const storedBucket = (found: FoundBucket): BucketRow | null => (found === UNOPENED ? null : found);

/** The row of a found bucket; the first call of a company opens it. */
export async function openBucket(
  services: StorageServices,
  companyId: number,
  person: Person,
  found: FoundBucket,
): Promise<BucketRow> {
  if (found !== UNOPENED) return found;
  await openCompany(services, companyId, person);
  const bucket = await services.dbOf(companyId).first(findBucket({ companyId, name: COMPANY_BUCKET }));
  if (bucket === null) throw new Problem("bucket_not_found");
  return bucket;
}

/** All buckets of a company by name; the first call of a company opens it. */
export async function readBuckets(services: StorageServices, companyId: number, person: Person): Promise<BucketRow[]> {
  const db = services.dbOf(companyId);
  const found = await db.all(listBuckets({ companyId }));
  if (found.some(({ kind }) => kind === "company")) return found;
  await openCompany(services, companyId, person);
  return db.all(listBuckets({ companyId }));
}

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
          ...{ id, companyId, name, ownerId: caller.userId, limit: MAX_BUCKETS, now },
          ...{ displayName: display_name, fileSizeLimit: file_size_limit, allowedMimeTypes: allowed_mime_types },
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
        ...{ id, companyId, now, displayName: display_name },
        ...{ fileSizeLimit: file_size_limit, allowedMimeTypes: allowed_mime_types },
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

/** 415 `invalid_mime_type` where the bucket takes others alone, 413 `payload_too_large` above its limit or `maxBytes`. */
export function checkFile(
  bucket: Pick<BucketRow, "allowed_mime_types" | "file_size_limit">,
  file: { mimeType: string; size: number | null },
  maxBytes: number,
): void {
  const allowed = bucket.allowed_mime_types;
  if (allowed !== null && !allowed.some((pattern) => isOfType(file.mimeType, pattern))) {
    throw new Problem("invalid_mime_type");
  }
  const limit = sizeLimit(bucket, maxBytes);
  if (file.size !== null && file.size > limit) throw tooLarge(limit);
}

/** 413 of an object above what the bucket or the deployment lets it have. */
export const tooLarge = (limit: number): Problem =>
  new Problem("payload_too_large", { message: `An object of this bucket has at most ${limit} bytes.` });

/** Bytes of one object in a bucket at most. */
export const sizeLimit = ({ file_size_limit }: Pick<BucketRow, "file_size_limit">, maxBytes: number): number =>
  Math.min(file_size_limit ?? maxBytes, maxBytes);

function isOfType(mimeType: string, pattern: string): boolean {
  const type = mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return pattern.endsWith("/*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}
