import { and, eq, sql } from "drizzle-orm";
import { storage_buckets, storage_objects } from "../../../db/storage/schema";
import { integer } from "../../kit/db/kind";
import { allColumns, insertSelect, queryBuilder } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

/** Inserts a custom bucket unless the company has `limit` buckets or one with this name. */
export const addBucket = statement(
  {
    id: storage_buckets.id,
    companyId: storage_buckets.company_id,
    name: storage_buckets.name,
    displayName: storage_buckets.display_name,
    ownerId: storage_buckets.owner_id,
    fileSizeLimit: storage_buckets.file_size_limit,
    allowedMimeTypes: storage_buckets.allowed_mime_types,
    limit: integer,
    now: storage_buckets.created_at,
  },
  (p) =>
    sql`${insertSelect(
      storage_buckets,
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
      sql`where (select count(*) from ${storage_buckets} where ${storage_buckets.company_id} = ${p.companyId}) < ${p.limit}`,
    )} on conflict do nothing`,
);

/** Updates the editable columns of a bucket and returns its row. */
export const changeBucket = statement(
  {
    id: storage_buckets.id,
    companyId: storage_buckets.company_id,
    displayName: storage_buckets.display_name,
    fileSizeLimit: storage_buckets.file_size_limit,
    allowedMimeTypes: storage_buckets.allowed_mime_types,
    now: storage_buckets.updated_at,
  },
  (p) =>
    queryBuilder
      .update(storage_buckets)
      .set({
        display_name: p.displayName,
        file_size_limit: p.fileSizeLimit,
        allowed_mime_types: p.allowedMimeTypes,
        updated_at: p.now,
      })
      .where(and(eq(storage_buckets.id, p.id), eq(storage_buckets.company_id, p.companyId)))
      .returning(allColumns(storage_buckets)),
);

/** Deletes a custom bucket that has no objects. */
export const deleteBucket = statement({ id: storage_buckets.id, companyId: storage_buckets.company_id }, (p) =>
  queryBuilder
    .delete(storage_buckets)
    .where(
      and(
        eq(storage_buckets.id, p.id),
        eq(storage_buckets.company_id, p.companyId),
        eq(storage_buckets.kind, sql`'custom'`),
        sql`not exists (select 1 from ${storage_objects} where ${storage_objects.bucket_id} = ${p.id})`,
      ),
    ),
);
