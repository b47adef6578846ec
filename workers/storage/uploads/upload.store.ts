import { and, asc, eq, gt, isNull, lte, type SQLWrapper, sql } from "drizzle-orm";
import { isCommitted } from "../../../db/storage/committed";
import {
  quota_reservations,
  storage_blobs,
  storage_buckets,
  storage_objects,
  storage_upload_parts,
  storage_uploads,
} from "../../../db/storage/schema";
import { integer, json } from "../../kit/db/kind";
import {
  allColumns,
  assignments,
  columnName,
  insertSelect,
  isInList,
  queryBuilder,
  selectRows,
} from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const blobs = storage_blobs;
const parts = storage_upload_parts;

/** Selects an unexpired upload of a user, with its bucket. */
export const findUpload = statement(
  {
    id: storage_uploads.id,
    protocol: storage_uploads.protocol,
    companyId: storage_uploads.company_id,
    userId: storage_uploads.user_id,
    now: storage_uploads.expires_at,
  },
  (p) =>
    selectRows(
      {
        ...allColumns(storage_uploads),
        bucket_name: storage_buckets.name,
        bucket_kind: storage_buckets.kind,
        bucket_limit: storage_buckets.file_size_limit,
      },
      (
        columns,
      ) => sql`select ${columns} from ${storage_uploads} join ${storage_buckets} on ${storage_buckets.id} = ${storage_uploads.bucket_id}
        where ${and(eq(storage_uploads.id, p.id), eq(storage_uploads.protocol, p.protocol), eq(storage_uploads.company_id, p.companyId), eq(storage_uploads.user_id, p.userId), gt(storage_uploads.expires_at, p.now))}`,
    ),
);

/** Selects the current object at the path of an upload. */
export const findReplaced = statement({ id: storage_uploads.id }, (p) =>
  queryBuilder
    .select(allColumns(storage_objects))
    .from(storage_uploads)
    .innerJoin(
      storage_objects,
      and(eq(storage_objects.bucket_id, storage_uploads.bucket_id), eq(storage_objects.name, storage_uploads.name)),
    )
    .where(eq(storage_uploads.id, p.id)),
);

/** Selects the stored parts of an upload, by number. */
export const listParts = statement({ id: parts.upload_id }, (p) =>
  queryBuilder
    .select({ part: parts.part, size: parts.size, etag: parts.etag })
    .from(parts)
    .where(eq(parts.upload_id, p.id))
    .orderBy(asc(parts.part)),
);

/** Selects the state of an upload. */
export const findState = statement({ id: storage_uploads.id }, (p) =>
  queryBuilder
    .select({
      completed_at: storage_uploads.completed_at,
      object_id: storage_uploads.object_id,
      object_version: storage_uploads.object_version,
      etag: storage_uploads.etag,
      received: storage_uploads.received,
      tail_key: storage_uploads.tail_key,
    })
    .from(storage_uploads)
    .where(eq(storage_uploads.id, p.id)),
);

/** Inserts an upload if its reservation and its bucket exist. */
export const addUpload = statement(
  {
    id: storage_uploads.id,
    protocol: storage_uploads.protocol,
    companyId: storage_uploads.company_id,
    userId: storage_uploads.user_id,
    bucketId: storage_uploads.bucket_id,
    name: storage_uploads.name,
    size: storage_uploads.size,
    partSize: storage_uploads.part_size,
    mimeType: storage_uploads.mime_type,
    cacheControl: storage_uploads.cache_control,
    metadata: storage_uploads.metadata,
    isUpsert: storage_uploads.is_upsert,
    blobKey: storage_uploads.blob_key,
    r2UploadId: storage_uploads.r2_upload_id,
    metadataHeader: storage_uploads.told_metadata,
    now: storage_uploads.created_at,
    expiresAt: storage_uploads.expires_at,
  },
  (p) =>
    sql`${insertSelect(
      storage_uploads,
      {
        id: p.id,
        protocol: p.protocol,
        company_id: p.companyId,
        user_id: p.userId,
        bucket_id: p.bucketId,
        name: p.name,
        size: p.size,
        part_size: p.partSize,
        mime_type: p.mimeType,
        cache_control: p.cacheControl,
        metadata: p.metadata,
        is_upsert: p.isUpsert,
        blob_key: p.blobKey,
        r2_upload_id: p.r2UploadId,
        told_metadata: p.metadataHeader,
        created_at: p.now,
        expires_at: p.expiresAt,
      },
      sql`from ${quota_reservations} where ${quota_reservations.id} = ${p.id} and exists (select 1 from ${storage_buckets} where ${storage_buckets.id} = ${p.bucketId})`,
    )} on conflict do nothing`,
);

/** Extends the reservation to the end of the upload. Must run after the insert of the upload. */
export const extendReservationForUpload = statement({ id: storage_uploads.id }, (p) => {
  const uploadColumn = (column: SQLWrapper) =>
    sql`(select ${column} from ${storage_uploads} where ${storage_uploads.id} = ${p.id})`;
  return sql`update ${quota_reservations} set ${assignments(quota_reservations, { expires_at: uploadColumn(storage_uploads.expires_at), r2_upload_id: uploadColumn(storage_uploads.r2_upload_id) })}
    where ${quota_reservations.id} = ${p.id} and exists (select 1 from ${storage_uploads} where ${storage_uploads.id} = ${p.id})`;
});

/** Inserts the row of a part of an open upload. A part that is sent again replaces its row. */
export const addPart = statement(
  { id: storage_uploads.id, part: parts.part, size: parts.size, etag: parts.etag, now: storage_uploads.expires_at },
  (p) =>
    sql`${insertSelect(
      parts,
      { upload_id: p.id, part: p.part, size: p.size, etag: p.etag },
      sql`from ${storage_uploads} where ${storage_uploads.id} = ${p.id} and ${storage_uploads.completed_at} is null and ${storage_uploads.expires_at} > ${p.now}`,
    )} on conflict (${columnName(parts.upload_id)}, ${columnName(parts.part)}) do update
      set ${assignments(parts, { size: sql`excluded.size`, etag: sql`excluded.etag` })}`,
);

/**
 * Deletes the row of a part before the part is replaced in R2. Otherwise the row would describe a part that R2 no longer has.
 */
export const deletePart = statement({ id: parts.upload_id, part: parts.part }, (p) =>
  queryBuilder.delete(parts).where(and(eq(parts.upload_id, p.id), eq(parts.part, p.part))),
);

/** Selects a part, to know whether it is stored. */
export const findPart = statement({ id: parts.upload_id, part: parts.part }, (p) =>
  queryBuilder
    .select({ part: parts.part })
    .from(parts)
    .where(and(eq(parts.upload_id, p.id), eq(parts.part, p.part))),
);

const change = { bucketId: storage_objects.bucket_id, name: storage_objects.name, change: storage_objects.change_id };

/** Hands the tail of a committed TUS upload to the sweep for removal. The object contains the bytes of the tail. */
export const dropCommittedTail = statement({ ...change, now: integer }, (p) => {
  const tail = sql`(select ${storage_uploads.tail_key} from ${storage_uploads} where ${storage_uploads.id} = ${p.change})`;
  return sql`update ${blobs} set ${assignments(blobs, { refs: 0, unreferenced_at: p.now })}
    where ${blobs.key} = ${tail} and ${blobs.refs} > 0 and ${isCommitted(p)}`;
});

/** Deletes the parts of a committed upload. */
export const dropCommittedParts = statement(
  change,
  (p) => sql`delete from ${parts} where ${parts.upload_id} = ${p.change} and ${isCommitted(p)}`,
);

/** Stores the result of a completion, which repeated requests return. */
export const recordCompletion = statement(
  { ...change, size: storage_uploads.size, now: storage_uploads.completed_at },
  (p) => {
    const objectColumn = (column: SQLWrapper) =>
      sql`(select ${column} from ${storage_objects} where ${storage_objects.bucket_id} = ${p.bucketId} and ${storage_objects.name} = ${p.name})`;
    return sql`update ${storage_uploads} set ${assignments(storage_uploads, {
      completed_at: p.now,
      object_id: objectColumn(storage_objects.id),
      object_version: objectColumn(storage_objects.version),
      etag: objectColumn(storage_objects.etag),
      size: p.size,
      received: p.size as never,
      tail_key: null,
      tail_size: 0,
      locked_until: null,
      lock_token: null,
    })} where ${storage_uploads.id} = ${p.change} and ${isCommitted(p)}`;
  },
);

const ids = json<readonly string[]>();

/** Hands the tails of ending uploads to the sweep for removal. Must run before their rows are deleted. */
export const dropTails = statement(
  { ids, now: integer },
  (p) =>
    sql`update ${blobs} set ${assignments(blobs, { refs: 0, unreferenced_at: p.now })}
      where ${blobs.refs} > 0 and ${blobs.key} in (select ${storage_uploads.tail_key} from ${storage_uploads} where ${isInList(storage_uploads.id, p.ids)})`,
);

export const deleteParts = statement({ ids }, (p) =>
  queryBuilder.delete(parts).where(isInList(parts.upload_id, p.ids)),
);

/** Deletes uploads that were not completed. */
export const deleteUploads = statement({ ids }, (p) =>
  queryBuilder
    .delete(storage_uploads)
    .where(and(isInList(storage_uploads.id, p.ids), isNull(storage_uploads.completed_at))),
);

/** Deletes expired uploads, completed or not. */
export const deleteExpired = statement({ ids, now: storage_uploads.expires_at }, (p) =>
  queryBuilder
    .delete(storage_uploads)
    .where(and(isInList(storage_uploads.id, p.ids), lte(storage_uploads.expires_at, p.now))),
);

/** Expires the open uploads of a deleted bucket and returns them. */
export const expireUploadsOf = statement(
  { bucketId: storage_uploads.bucket_id, now: storage_uploads.expires_at },
  (p) =>
    queryBuilder
      .update(storage_uploads)
      .set({ expires_at: p.now })
      .where(
        and(
          eq(storage_uploads.bucket_id, p.bucketId),
          sql`completed_at is null`,
          sql`not exists (select 1 from ${storage_buckets} where ${storage_buckets.id} = ${p.bucketId})`,
        ),
      )
      .returning({
        id: storage_uploads.id,
        blob_key: storage_uploads.blob_key,
        r2_upload_id: storage_uploads.r2_upload_id,
        completed_at: storage_uploads.completed_at,
      }),
);

/** Resets uploads to no received bytes. Must run after dropTails. */
export const restartUploads = statement({ ids }, (p) =>
  queryBuilder
    .update(storage_uploads)
    .set({ received: 0, tail_key: null, tail_size: 0 })
    .where(and(isInList(storage_uploads.id, p.ids), isNull(storage_uploads.completed_at))),
);

/** Selects expired uploads. */
export const listExpiredUploads = statement({ now: storage_uploads.expires_at, limit: integer }, (p) =>
  queryBuilder
    .select({
      id: storage_uploads.id,
      blob_key: storage_uploads.blob_key,
      r2_upload_id: storage_uploads.r2_upload_id,
      completed_at: storage_uploads.completed_at,
    })
    .from(storage_uploads)
    .where(lte(storage_uploads.expires_at, p.now))
    .orderBy(asc(storage_uploads.expires_at))
    .limit(p.limit),
);
