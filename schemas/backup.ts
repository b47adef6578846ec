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
export type BackupTable = {
  name: string;
  columns: string[];
  is_derived: boolean;
  is_dependent: boolean;
  /** which rows the export of one company has; only when a company is described */
  company?: { rule: CompanyRule; values: ExportedValues };
};

/**
 * How rows belong to a company: `column` has its id, or a value that a table with `company_id` has in a column for the company; or a
 * text begins with its id and a colon.
 */
export type CompanyRule = { column: string; in?: { table: string; column: string } } | { prefixed: string };

/** By column: the value that each row has in the export of one company, whatever is stored. */
export type ExportedValues = Readonly<Record<string, string | number | null>>;

/** An object of a bucket: its key, its size in bytes, and its ETag, which is the MD5 of its bytes unless it was uploaded in parts. */
export type StoredFile = readonly [key: string, size: number, etag: string];
