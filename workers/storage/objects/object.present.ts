import type { ObjectRow } from "../../../db/storage/schema";
import { presentAccess } from "../buckets/bucket.present";

const iso = (ms: number): string => new Date(ms).toISOString();

/** Returns an object as the API shows it. Custom metadata cannot override the built-in keys. */
export const presentObject = (row: ObjectRow, bucket: string, name = row.name) => ({
  id: row.id,
  name,
  bucket_id: bucket,
  owner: String(row.owner_id),
  version: row.version,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  last_accessed_at: row.last_accessed_at === null ? null : iso(row.last_accessed_at),
  metadata: {
    ...row.metadata,
    eTag: `"${row.etag}"`,
    size: row.size,
    mimetype: row.mime_type,
    cacheControl: cacheControlOf(row),
    lastModified: iso(row.updated_at),
    contentLength: row.size,
    httpStatusCode: 200 as const,
  },
  access: presentAccess(row.owner_id),
});

/** Like presentObject, with the additional field names of storage-js. */
export const presentObjectInfo = (row: ObjectRow, bucket: string) => ({
  ...presentObject(row, bucket),
  size: row.size,
  content_type: row.mime_type,
  cache_control: cacheControlOf(row),
  etag: `"${row.etag}"`,
  last_modified: iso(row.updated_at),
});

const cacheControlOf = ({ cache_control }: ObjectRow): string => cache_control ?? "no-cache";

/** Returns a folder as a list shows it. */
export const presentFolder = (name: string, bucket: string, markerId: string | null) => ({
  id: null,
  name,
  bucket_id: bucket,
  owner: null,
  version: null,
  created_at: null,
  updated_at: null,
  last_accessed_at: null,
  metadata: null,
  access: presentAccess(null),
  folder_id: markerId,
});
