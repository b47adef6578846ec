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

const o = storage_objects;
const r = quota_reservations;

/** Returns the change id of the version at a path, or an empty string if there is no object. */
const changeIdAt = (bucketId: SQL, path: SQL): SQL =>
  sql`coalesce((select ${o.change_id} from ${o} where ${o.bucket_id} = ${bucketId} and ${o.name} = ${path}), '')`;

/**
 * Writes a version of an object if its reservation and bucket exist, its blob is not being removed, and the current version
 * is still the one that the caller loaded. `previousChangeId` is the change id of the loaded version, empty if there was
 * none.
 */
export const writeVersion = statement(
  {
    previousChangeId: text,
    change: o.change_id,
    id: o.id,
    bucketId: o.bucket_id,
    companyId: o.company_id,
    ownerId: o.owner_id,
    name: o.name,
    parent: o.parent,
    size: o.size,
    etag: o.etag,
    sha256: o.sha256,
    mimeType: o.mime_type,
    cacheControl: o.cache_control,
    contentEncoding: o.content_encoding,
    metadata: o.metadata,
    blobKey: o.blob_key,
    uploadKey: o.upload_key,
    now: o.updated_at,
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
      o,
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
      sql`from ${r} where ${r.id} = ${p.change} and ${changeIdAt(p.bucketId, p.name)} = ${p.previousChangeId}
        and exists (select 1 from ${storage_buckets} where ${storage_buckets.id} = ${p.bucketId})
        and not exists (select 1 from ${storage_blobs} where ${storage_blobs.key} = ${p.blobKey} and ${storage_blobs.refs} < 0)`,
    )} on conflict (${columnName(o.bucket_id)}, ${columnName(o.name)}) do update set ${assignments(o, { ...values, version: sql`${o.version} + 1` })}`;
  },
);

const change = { bucketId: o.bucket_id, name: o.name, change: o.change_id };

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
  const b = storage_blobs;
  return sql`update ${b} set ${assignments(b, {
    refs: sql`${b.refs} - 1`,
    unreferenced_at: sql`iif(${b.refs} = 1, ${p.now}, null)`,
  })} where ${b.key} = ${p.key} and ${b.refs} > 0 and ${isCommitted(p)}`;
});

/** Inserts the event of a committed change. */
export const addChangeEvent = statement({ ...change, ...objectEvent }, (p) => insertObjectEvent(p, isCommitted(p)));

/** Counts an upload in the hourly totals of a company. */
export const countUpload = statement(
  { ...change, companyId: upload_hours.company_id, hour: upload_hours.hour, bytes: upload_hours.bytes },
  (p) => {
    const h = upload_hours;
    return sql`${insertSelect(
      h,
      { company_id: p.companyId, hour: p.hour, uploads: 1, bytes: p.bytes },
      sql`where ${isCommitted(p)}`,
    )} on conflict (${columnName(h.company_id)}, ${columnName(h.hour)}) do update set ${assignments(h, {
      uploads: sql`${h.uploads} + 1`,
      bytes: sql`${h.bytes} + excluded.bytes`,
    })}`;
  },
);

/** Selects the current version at a path. */
export const findVersion = statement({ bucketId: o.bucket_id, name: o.name }, (p) =>
  queryBuilder
    .select(allColumns(o))
    .from(o)
    .where(and(eq(o.bucket_id, p.bucketId), eq(o.name, p.name))),
);

export const findReservation = statement({ id: r.id }, (p) =>
  queryBuilder.select({ id: r.id }).from(r).where(eq(r.id, p.id)),
);
