import type { BucketRow } from "../../../db/storage/schema";
import { COMPANY_BUCKET } from "../../../schemas/storage/buckets";
import type { UserActor } from "../../kit/webhooks/events/event-actor";
import { openCompany } from "../companies/company";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { findBucket, listBuckets } from "./bucket.store";

export { findBucket } from "./bucket.store";

/** Marks the bucket `company` of a company that has no rows yet; the route handler creates them. */
const UNOPENED = "unopened";
export type BucketLookup = BucketRow | typeof UNOPENED;

/** Returns the row, `unopened` for a `company` bucket that has no row yet, or null when there is no such bucket. */
export const toBucketLookup = (name: string, row: BucketRow | null): BucketLookup | null =>
  row ?? (name === COMPANY_BUCKET ? UNOPENED : null);

/** Returns the row of a bucket, or null when it was never used and is therefore empty. */
export const storedBucket = (lookup: BucketLookup): BucketRow | null => (lookup === UNOPENED ? null : lookup);

/** Returns the row of a bucket. Creates the company's rows on first use. Throws 404 `bucket_not_found`. */
export async function openBucket(
  services: StorageServices,
  companyId: number,
  user: UserActor,
  lookup: BucketLookup,
): Promise<BucketRow> {
  if (lookup !== UNOPENED) return lookup;
  await openCompany(services, companyId, user);
  const bucket = await services.dbOf(companyId).first(findBucket({ companyId, name: COMPANY_BUCKET }));
  if (bucket === null) throw new Problem("bucket_not_found");
  return bucket;
}

/** Returns all buckets of a company, ordered by name. Creates the company's rows on first use. */
export async function readBuckets(services: StorageServices, companyId: number, user: UserActor): Promise<BucketRow[]> {
  const db = services.dbOf(companyId);
  const buckets = await db.all(listBuckets({ companyId }));
  if (buckets.some(({ kind }) => kind === "company")) return buckets;
  await openCompany(services, companyId, user);
  return db.all(listBuckets({ companyId }));
}

/**
 * Throws 415 `invalid_mime_type` if the bucket does not allow the type, and 413 `payload_too_large` if the size exceeds the
 * bucket's limit or `maxBytes`.
 */
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

/** Returns the 413 error for an object above the limit of its bucket or of the deployment. */
export const tooLarge = (limit: number): Problem =>
  new Problem("payload_too_large", { message: `An object of this bucket has at most ${limit} bytes.` });

/** Returns the maximum size of an object in a bucket, in bytes. */
export const sizeLimit = ({ file_size_limit }: Pick<BucketRow, "file_size_limit">, maxBytes: number): number =>
  Math.min(file_size_limit ?? maxBytes, maxBytes);

function isOfType(mimeType: string, pattern: string): boolean {
  const type = mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return pattern.endsWith("/*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}
