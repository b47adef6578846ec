import type { BucketRow } from "../../../db/storage/schema";

/** Returns the access of a bucket or object. Every member of the company may read and write all of its files. */
export const presentAccess = (ownerId: number | null) => ({
  audience: "company" as const,
  readers: "company" as const,
  writers: "company" as const,
  owner_id: ownerId,
  shareable: true as const,
  grants_enabled: false as const,
  description: "Every member of the company reads and writes.",
  can_write: true as const,
});

/** Returns a bucket as the API shows it. */
export const presentBucket = (row: BucketRow) => ({
  id: row.name,
  name: row.name,
  display_name: row.display_name,
  kind: row.kind,
  // Always a string: Supabase's Python client rejects numbers and null.
  owner: row.owner_id === null ? "" : String(row.owner_id),
  public: false as const,
  file_size_limit: row.file_size_limit,
  allowed_mime_types: row.allowed_mime_types,
  connector_provider: null,
  access: presentAccess(row.owner_id),
  created_at: new Date(row.created_at).toISOString(),
  updated_at: new Date(row.updated_at).toISOString(),
});
