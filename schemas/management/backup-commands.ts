import type { CommandSpec } from "./command-spec.ts";

const backup = { name: "backup", kind: "text", help: "id of the backup", required: true } as const;
const table = { name: "table", kind: "text", help: "name of the table", required: true } as const;
const onlyCompany = { name: "company", kind: "integer", min: 1, help: "only rows of this company" } as const;

/** What `platform backup` and `platform restore` call. Every service has these commands. */
export const backupCommands = [
  {
    name: "describe_backup",
    help: "Describe the tables, keys and buckets of a backup; platform backup calls it",
    access: "operator",
    internal: true,
    flags: [onlyCompany],
  },
  {
    name: "read_table",
    help: "Read a page of a table; platform backup calls it",
    access: "operator",
    internal: true,
    flags: [table, onlyCompany, { name: "after", kind: "text", help: "key of the last row of the page before" }],
  },
  {
    name: "list_files",
    help: "List the objects of a bucket; platform backup calls it",
    access: "operator",
    internal: true,
    flags: [
      { name: "bucket", kind: "text", help: "name of the bucket's binding", required: true },
      { name: "after", kind: "text", help: "cursor of the page before" },
    ],
  },
  {
    name: "begin_restore",
    help: "Prepare an empty service for the rows of a backup; platform restore calls it",
    access: "operator",
    internal: true,
    flags: [backup, onlyCompany, { name: "dry_run", kind: "boolean", help: "only check that the restore may begin" }],
  },
  {
    name: "clear_table",
    help: "Delete what triggers stored in a table; platform restore calls it",
    access: "operator",
    internal: true,
    flags: [backup, table],
  },
  {
    name: "write_table",
    help: "Write rows of a backup; platform restore calls it",
    access: "operator",
    internal: true,
    rows: { max: 500, maxBytes: 8_388_608 },
    flags: [backup, table],
  },
  {
    name: "end_restore",
    help: "End a restore; platform restore calls it",
    access: "operator",
    internal: true,
    flags: [backup, { name: "sequences", kind: "text", help: 'highest ids as JSON: {"users": 12}', required: true }],
  },
] as const satisfies readonly CommandSpec[];
