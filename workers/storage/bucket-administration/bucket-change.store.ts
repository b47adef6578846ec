import { and, eq, sql } from "drizzle-orm";
import { storage_buckets, storage_objects } from "../../../db/storage/schema";
import { integer } from "../../kit/db/kind";
import { all, insertSelect, q } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const b = storage_buckets;
const o = storage_objects;

/** A further bucket of a company, as long as it has fewer than `limit` and none of this name. */
export const addBucket = statement(
  {
    id: b.id,
    companyId: b.company_id,
    name: b.name,
    displayName: b.display_name,
    ownerId: b.owner_id,
    fileSizeLimit: b.file_size_limit,
    allowedMimeTypes: b.allowed_mime_types,
    limit: integer,
    now: b.created_at,
  },
  (p) =>
    sql`${insertSelect(
      b,
      {
        id: p.id,
        company_id: p.companyId,
        name: p.name,
        display_name: p.displayName,
        kind: "custom",
        owner_id: p.ownerId,
        file_size_limit: p.fileSizeLimit,
        allowed_mime_types: p.allowedMimeTypes,
        created_at: p.now,
        updated_at: p.now,
      },
      sql`where (select count(*) from ${b} where ${b.company_id} = ${p.companyId}) < ${p.limit}`,
    )} on conflict do nothing`,
);

/** Changes what may be changed of a bucket; answers it. */
export const changeBucket = statement(
  {
    id: b.id,
    companyId: b.company_id,
    displayName: b.display_name,
    fileSizeLimit: b.file_size_limit,
    allowedMimeTypes: b.allowed_mime_types,
    now: b.updated_at,
  },
  (p) =>
    q
      .update(b)
      .set({
        display_name: p.displayName,
        file_size_limit: p.fileSizeLimit,
        allowed_mime_types: p.allowedMimeTypes,
        updated_at: p.now,
      })
      .where(and(eq(b.id, p.id), eq(b.company_id, p.companyId)))
      .returning(all(b)),
);

/** Removes a bucket that has no object. */
export const deleteBucket = statement({ id: b.id, companyId: b.company_id }, (p) =>
  q
    .delete(b)
    .where(
      and(
        eq(b.id, p.id),
        eq(b.company_id, p.companyId),
        eq(b.kind, sql`'custom'`),
        sql`not exists (select 1 from ${o} where ${o.bucket_id} = ${p.id})`,
      ),
    ),
);
