import type { BucketRow } from "../../../db/storage/schema";
import { COMPANY_BUCKET } from "../../../schemas/storage/buckets";
import { openCompany, type Person } from "../companies/company";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { findBucket, listBuckets } from "./bucket.store";

export { findBucket } from "./bucket.store";

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
