import { and, eq, type SQL, sql } from "drizzle-orm";
import { storage_buckets, storage_objects } from "../../../db/storage/schema";
import { parentOf } from "../../../workers/storage/objects/path";
import { insertNumbered, insertRows, readRows } from "../webhooks/rows";

/** What an object has that nobody asks about. */
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

/** The bucket of a company that a call has opened. */
export async function bucketOf(companyId: number, name = "company") {
  const [bucket] = await readRows(
    storage_buckets,
    and(eq(storage_buckets.company_id, companyId), eq(storage_buckets.name, name)),
  );
  if (bucket === undefined) throw new Error("no bucket");
  return bucket;
}

type Bucket = Awaited<ReturnType<typeof bucketOf>>;

/** Stores rows of objects whose bytes nobody reads, a minute apart where they say no time. */
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

/** Stores `count` of them by one statement: their folder (as it is stored) and name are SQL of their number. */
export const storeManyObjects = (
  bucket: Bucket,
  count: number,
  place: (i: SQL) => { name: SQL; parent: SQL | string },
) =>
  insertNumbered(storage_objects, count, (i) => ({
    ...anyObject,
    id: sql`lower(hex(randomblob(16)))`,
    bucket_id: bucket.id,
    company_id: bucket.company_id,
    ...place(i),
    created_at: i,
    updated_at: i,
  }));
