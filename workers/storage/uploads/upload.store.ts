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

const u = storage_uploads;
const b = storage_buckets;
const o = storage_objects;
const r = quota_reservations;
const blobs = storage_blobs;
const parts = storage_upload_parts;

/** Selects an unexpired upload of a user, with its bucket. */
export const findUpload = statement(
  { id: u.id, protocol: u.protocol, companyId: u.company_id, userId: u.user_id, now: u.expires_at },
  (p) =>
    selectRows(
      { ...allColumns(u), bucket_name: b.name, bucket_kind: b.kind, bucket_limit: b.file_size_limit },
      (columns) => sql`select ${columns} from ${u} join ${b} on ${b.id} = ${u.bucket_id}
        where ${and(eq(u.id, p.id), eq(u.protocol, p.protocol), eq(u.company_id, p.companyId), eq(u.user_id, p.userId), gt(u.expires_at, p.now))}`,
    ),
);

/** Selects the current object at the path of an upload. */
export const findReplaced = statement({ id: u.id }, (p) =>
  queryBuilder
    .select(allColumns(o))
    .from(u)
    .innerJoin(o, and(eq(o.bucket_id, u.bucket_id), eq(o.name, u.name)))
    .where(eq(u.id, p.id)),
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
export const findState = statement({ id: u.id }, (p) =>
  queryBuilder
    .select({
      completed_at: u.completed_at,
      object_id: u.object_id,
      object_version: u.object_version,
      etag: u.etag,
      received: u.received,
      tail_key: u.tail_key,
    })
    .from(u)
    .where(eq(u.id, p.id)),
);

/** Inserts an upload if its reservation and its bucket exist. */
export const addUpload = statement(
  {
    id: u.id,
    protocol: u.protocol,
    companyId: u.company_id,
    userId: u.user_id,
    bucketId: u.bucket_id,
    name: u.name,
    size: u.size,
    partSize: u.part_size,
    mimeType: u.mime_type,
    cacheControl: u.cache_control,
    metadata: u.metadata,
    isUpsert: u.is_upsert,
    blobKey: u.blob_key,
    r2UploadId: u.r2_upload_id,
    metadataHeader: u.told_metadata,
    now: u.created_at,
    expiresAt: u.expires_at,
  },
  (p) =>
    sql`${insertSelect(
      u,
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
      sql`from ${r} where ${r.id} = ${p.id} and exists (select 1 from ${b} where ${b.id} = ${p.bucketId})`,
    )} on conflict do nothing`,
);

/** Extends the reservation to the end of the upload. Must run after the insert of the upload. */
export const extendReservationForUpload = statement({ id: u.id }, (p) => {
  const uploadColumn = (column: SQLWrapper) => sql`(select ${column} from ${u} where ${u.id} = ${p.id})`;
  return sql`update ${r} set ${assignments(r, { expires_at: uploadColumn(u.expires_at), r2_upload_id: uploadColumn(u.r2_upload_id) })}
    where ${r.id} = ${p.id} and exists (select 1 from ${u} where ${u.id} = ${p.id})`;
});

/** Inserts the row of a part of an open upload. A part that is sent again replaces its row. */
export const addPart = statement(
  { id: u.id, part: parts.part, size: parts.size, etag: parts.etag, now: u.expires_at },
  (p) =>
    sql`${insertSelect(
      parts,
      { upload_id: p.id, part: p.part, size: p.size, etag: p.etag },
      sql`from ${u} where ${u.id} = ${p.id} and ${u.completed_at} is null and ${u.expires_at} > ${p.now}`,
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

const change = { bucketId: o.bucket_id, name: o.name, change: o.change_id };

/** Hands the tail of a committed TUS upload to the sweep for removal. The object contains the bytes of the tail. */
export const dropCommittedTail = statement({ ...change, now: integer }, (p) => {
  const tail = sql`(select ${u.tail_key} from ${u} where ${u.id} = ${p.change})`;
  return sql`update ${blobs} set ${assignments(blobs, { refs: 0, unreferenced_at: p.now })}
    where ${blobs.key} = ${tail} and ${blobs.refs} > 0 and ${isCommitted(p)}`;
});

/** Deletes the parts of a committed upload. */
export const dropCommittedParts = statement(
  change,
  (p) => sql`delete from ${parts} where ${parts.upload_id} = ${p.change} and ${isCommitted(p)}`,
);

/** Stores the result of a completion, which repeated requests return. */
export const recordCompletion = statement({ ...change, size: u.size, now: u.completed_at }, (p) => {
  const objectColumn = (column: SQLWrapper) =>
    sql`(select ${column} from ${o} where ${o.bucket_id} = ${p.bucketId} and ${o.name} = ${p.name})`;
  return sql`update ${u} set ${assignments(u, {
    completed_at: p.now,
    object_id: objectColumn(o.id),
    object_version: objectColumn(o.version),
    etag: objectColumn(o.etag),
    size: p.size,
    received: p.size as never,
    tail_key: null,
    tail_size: 0,
    locked_until: null,
    lock_token: null,
  })} where ${u.id} = ${p.change} and ${isCommitted(p)}`;
});

const ids = json<readonly string[]>();

/** Hands the tails of ending uploads to the sweep for removal. Must run before their rows are deleted. */
export const dropTails = statement(
  { ids, now: integer },
  (p) =>
    sql`update ${blobs} set ${assignments(blobs, { refs: 0, unreferenced_at: p.now })}
      where ${blobs.refs} > 0 and ${blobs.key} in (select ${u.tail_key} from ${u} where ${isInList(u.id, p.ids)})`,
);

export const deleteParts = statement({ ids }, (p) =>
  queryBuilder.delete(parts).where(isInList(parts.upload_id, p.ids)),
);

/** Deletes uploads that were not completed. */
export const deleteUploads = statement({ ids }, (p) =>
  queryBuilder.delete(u).where(and(isInList(u.id, p.ids), isNull(u.completed_at))),
);

/** Deletes expired uploads, completed or not. */
export const deleteExpired = statement({ ids, now: u.expires_at }, (p) =>
  queryBuilder.delete(u).where(and(isInList(u.id, p.ids), lte(u.expires_at, p.now))),
);

/** Expires the open uploads of a deleted bucket and returns them. */
export const expireUploadsOf = statement({ bucketId: u.bucket_id, now: u.expires_at }, (p) =>
  queryBuilder
    .update(u)
    .set({ expires_at: p.now })
    .where(
      and(
        eq(u.bucket_id, p.bucketId),
        sql`completed_at is null`,
        sql`not exists (select 1 from ${b} where ${b.id} = ${p.bucketId})`,
      ),
    )
    .returning({ id: u.id, blob_key: u.blob_key, r2_upload_id: u.r2_upload_id, completed_at: u.completed_at }),
);

/** Resets uploads to no received bytes. Must run after dropTails. */
export const restartUploads = statement({ ids }, (p) =>
  queryBuilder
    .update(u)
    .set({ received: 0, tail_key: null, tail_size: 0 })
    .where(and(isInList(u.id, p.ids), isNull(u.completed_at))),
);

/** Selects expired uploads. */
export const listExpiredUploads = statement({ now: u.expires_at, limit: integer }, (p) =>
  queryBuilder
    .select({ id: u.id, blob_key: u.blob_key, r2_upload_id: u.r2_upload_id, completed_at: u.completed_at })
    .from(u)
    .where(lte(u.expires_at, p.now))
    .orderBy(asc(u.expires_at))
    .limit(p.limit),
);
