/** What `describe_backup` returns of a service. */
export type BackupDescription = {
  /** hash of the definitions of all tables: databases of the same release have the same one */
  schema: string;
  /** the tables in the order in which a restore fills them */
  tables: BackupTable[];
  /** the highest id that each table with AUTOINCREMENT ever had */
  sequences: { name: string; seq: number }[];
  /** fingerprints of the secrets that seal stored values, by the name of their setting */
  keys: Record<string, string>;
  /** the names of the buckets' bindings */
  buckets: string[];
};

/**
 * A table of a backup. `is_derived`: triggers fill it, so a restore first deletes what they stored. `is_dependent`: its rows have
 * parents, which may be deleted while a backup is read.
 */
export type BackupTable = { name: string; columns: string[]; is_derived: boolean; is_dependent: boolean };

/** An object of a bucket: its key, its size in bytes, and its ETag, which is the MD5 of its bytes unless it was uploaded in parts. */
export type StoredFile = readonly [key: string, size: number, etag: string];
