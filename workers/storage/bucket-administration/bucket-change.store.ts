import { and, eq, sql } from "drizzle-orm";
import { storage_buckets, storage_objects } from "../../../db/storage/schema";
import { integer } from "../../kit/db/kind";
import { allColumns, insertSelect, queryBuilder } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const b = storage_buckets;
const o = storage_objects;

/** Inserts a custom bucket unless the company has `limit` buckets or one with this name. */
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

/** Updates the editable columns of a bucket and returns its row. */
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
    queryBuilder
      .update(b)
      .set({
        display_name: p.displayName,
        file_size_limit: p.fileSizeLimit,
        allowed_mime_types: p.allowedMimeTypes,
        updated_at: p.now,
      })
      .where(and(eq(b.id, p.id), eq(b.company_id, p.companyId)))
      .returning(allColumns(b)),
);

/** Deletes a custom bucket that has no objects. */
export const deleteBucket = statement({ id: b.id, companyId: b.company_id }, (p) =>
  queryBuilder
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
