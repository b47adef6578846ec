import { and, eq, type SQL, sql } from "drizzle-orm";
import { storage_buckets, storage_objects } from "../../../db/storage/schema";
import { parentOf } from "../../../workers/storage/objects/path";
import { insertNumbered, insertRows, readRows } from "../webhooks/rows";

/** Columns of an object that the tests do not check. */
const anyObject = {
  owner_id: 7,
  size: 1,
  etag: "x",
  mime_type: "text/plain",
  blob_key: "none",
  version: 1,
  change_id: "none",
  created_at: 1,
  updated_at: 1,
};

/** Returns the row of a bucket, by default `company`. Throws if no request has created the bucket yet. */
export async function bucketOf(companyId: number, name = "company") {
  const [bucket] = await readRows(
    storage_buckets,
    and(eq(storage_buckets.company_id, companyId), eq(storage_buckets.name, name)),
  );
  if (bucket === undefined) throw new Error("no bucket");
  return bucket;
}

type Bucket = Awaited<ReturnType<typeof bucketOf>>;

/** Inserts object rows without stored bytes. Their creation times are one minute apart. */
export const storeObjects = (
  bucket: Bucket,
  names: readonly string[],
  values: { size?: number; owner_id?: number; id?: string } = {},
) =>
  insertRows(
    storage_objects,
    names.map((name, at) => ({
      ...anyObject,
      id: crypto.randomUUID(),
      ...values,
      bucket_id: bucket.id,
      company_id: bucket.company_id,
      name,
      parent: parentOf(name),
      created_at: 60_000 * (at + 1),
      updated_at: 60_000 * (names.length - at),
    })),
  );

/**
 * Inserts `count` object rows in one statement. `locationOf` returns the name and the encoded parent folder as SQL
 * expressions of the row number.
 */
export const storeManyObjects = (
  bucket: Bucket,
  count: number,
  locationOf: (i: SQL) => { name: SQL; parent: SQL | string },
) =>
  insertNumbered(storage_objects, count, (i) => ({
    ...anyObject,
    id: sql`lower(hex(randomblob(16)))`,
    bucket_id: bucket.id,
    company_id: bucket.company_id,
    ...locationOf(i),
    created_at: i,
    updated_at: i,
  }));
