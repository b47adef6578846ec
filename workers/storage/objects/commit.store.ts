import { and, eq, type SQL, sql } from "drizzle-orm";
import { isCommitted } from "../../../db/storage/committed";
import {
  quota_reservations,
  storage_blobs,
  storage_buckets,
  storage_objects,
  upload_hours,
} from "../../../db/storage/schema";
import { integer, text } from "../../kit/db/kind";
import { allColumns, assignments, columnName, insertSelect, queryBuilder } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { insertObjectEvent, objectEvent } from "./object-event.store";

/** Returns the change id of the version at a path, or an empty string if there is no object. */
const changeIdAt = (bucketId: SQL, path: SQL): SQL =>
  sql`coalesce((select ${storage_objects.change_id} from ${storage_objects} where ${storage_objects.bucket_id} = ${bucketId} and ${storage_objects.name} = ${path}), '')`;

/**
 * Writes a version of an object if its reservation and bucket exist, its blob is not being removed, and the current version
 * is still the one that the caller loaded. `previousChangeId` is the change id of the loaded version, empty if there was
 * none.
 */
export const writeVersion = statement(
  {
    previousChangeId: text,
    change: storage_objects.change_id,
    id: storage_objects.id,
    bucketId: storage_objects.bucket_id,
    companyId: storage_objects.company_id,
    ownerId: storage_objects.owner_id,
    name: storage_objects.name,
    parent: storage_objects.parent,
    size: storage_objects.size,
    etag: storage_objects.etag,
    sha256: storage_objects.sha256,
    mimeType: storage_objects.mime_type,
    cacheControl: storage_objects.cache_control,
    contentEncoding: storage_objects.content_encoding,
    metadata: storage_objects.metadata,
    blobKey: storage_objects.blob_key,
    uploadKey: storage_objects.upload_key,
    now: storage_objects.updated_at,
  },
  (p) => {
    const values = {
      owner_id: p.ownerId,
      size: p.size,
      etag: p.etag,
      sha256: p.sha256,
      mime_type: p.mimeType,
      cache_control: p.cacheControl,
      content_encoding: p.contentEncoding,
      metadata: p.metadata,
      blob_key: p.blobKey,
      change_id: p.change,
      upload_key: p.uploadKey,
      updated_at: p.now,
    };
    return sql`${insertSelect(
      storage_objects,
      {
        ...values,
        id: p.id,
        bucket_id: p.bucketId,
        company_id: p.companyId,
        name: p.name,
        parent: p.parent,
        version: 1,
        created_at: p.now,
      },
      sql`from ${quota_reservations} where ${quota_reservations.id} = ${p.change} and ${changeIdAt(p.bucketId, p.name)} = ${p.previousChangeId}
        and exists (select 1 from ${storage_buckets} where ${storage_buckets.id} = ${p.bucketId})
        and not exists (select 1 from ${storage_blobs} where ${storage_blobs.key} = ${p.blobKey} and ${storage_blobs.refs} < 0)`,
    )} on conflict (${columnName(storage_objects.bucket_id)}, ${columnName(storage_objects.name)}) do update set ${assignments(storage_objects, { ...values, version: sql`${storage_objects.version} + 1` })}`;
  },
);

const change = { bucketId: storage_objects.bucket_id, name: storage_objects.name, change: storage_objects.change_id };

/** Adds a reference to the blob of a committed change. */
export const holdBlob = statement(
  { ...change, key: storage_blobs.key, companyId: storage_blobs.company_id, size: storage_blobs.size },
  (p) =>
    sql`${insertSelect(
      storage_blobs,
      { key: p.key, company_id: p.companyId, size: p.size, refs: 1 },
      sql`where ${isCommitted(p)}`,
    )} on conflict (${columnName(storage_blobs.key)}) do update set refs = ${storage_blobs.refs} + 1, unreferenced_at = null`,
);

/** Drops a reference to the blob of the previous version. The sweep removes blobs without references. */
export const dropBlob = statement({ ...change, key: storage_blobs.key, now: integer }, (p) => {
  return sql`update ${storage_blobs} set ${assignments(storage_blobs, {
    refs: sql`${storage_blobs.refs} - 1`,
    unreferenced_at: sql`iif(${storage_blobs.refs} = 1, ${p.now}, null)`,
  })} where ${storage_blobs.key} = ${p.key} and ${storage_blobs.refs} > 0 and ${isCommitted(p)}`;
});

/** Inserts the event of a committed change. */
export const addChangeEvent = statement({ ...change, ...objectEvent }, (p) => insertObjectEvent(p, isCommitted(p)));

/** Counts an upload in the hourly totals of a company. */
export const countUpload = statement(
  { ...change, companyId: upload_hours.company_id, hour: upload_hours.hour, bytes: upload_hours.bytes },
  (p) => {
    return sql`${insertSelect(
      upload_hours,
      { company_id: p.companyId, hour: p.hour, uploads: 1, bytes: p.bytes },
      sql`where ${isCommitted(p)}`,
    )} on conflict (${columnName(upload_hours.company_id)}, ${columnName(upload_hours.hour)}) do update set ${assignments(
      upload_hours,
      {
        uploads: sql`${upload_hours.uploads} + 1`,
        bytes: sql`${upload_hours.bytes} + excluded.bytes`,
      },
    )}`;
  },
);

/** Selects the current version at a path. */
export const findVersion = statement({ bucketId: storage_objects.bucket_id, name: storage_objects.name }, (p) =>
  queryBuilder
    .select(allColumns(storage_objects))
    .from(storage_objects)
    .where(and(eq(storage_objects.bucket_id, p.bucketId), eq(storage_objects.name, p.name))),
);

export const findReservation = statement({ id: quota_reservations.id }, (p) =>
  queryBuilder.select({ id: quota_reservations.id }).from(quota_reservations).where(eq(quota_reservations.id, p.id)),
);
