import { type SQL, sql } from "drizzle-orm";
import type { CompanyRule, ExportedValues } from "../../../schemas/backup";
import { boolean, integer, json, nullable, text } from "../db/kind";
import { selectRows } from "../db/query";
import { type Bound, unregisteredStatement } from "../db/statement";

// The statements are not registered: they read the catalogs of SQLite, which have no indexes, or tables whose names are only known at
// run time.

/** A foreign key of one column. */
type ForeignKey = { parent: string; from: string; to: string };

/** A table as a backup reads it: its columns, the columns of its key, and its foreign keys. */
export type StoredTable = { name: string; columns: string[]; key: string[]; foreignKeys: ForeignKey[] };

/** The table that exists only while the database is restored. Its row names the backup. */
const MARKER = "restore_in_progress";

/** The state of the scheduled jobs belongs to a deployment and not to its data: its fences count the locks of this deployment. */
const isStored =
  sql.raw(`m.type = 'table' and m.name not like 'sqlite\\_%' escape '\\' and m.name not like '\\_cf\\_%' escape '\\'
  and m.name not like 'scheduled\\_job\\_%' escape '\\' and m.name not in ('d1_migrations', '${MARKER}')
  and not exists (select 1 from sqlite_master v where v.sql like 'create virtual table %'
    and (m.name = v.name or substr(m.name, 1, length(v.name) + 1) = v.name || '_'))`);

const names = json<string[]>();

/** Statement: the tables with data, without those of a full-text index, which its triggers fill. */
export const listTables = unregisteredStatement({}, () =>
  selectRows(
    {
      name: sql`m.name`.mapWith(text),
      columns: sql`(select json_group_array(c.name) from pragma_table_info(m.name) c)`.mapWith(names),
      key: sql`(select json_group_array(c.name) from (select name from pragma_table_info(m.name) where pk > 0 order by pk) c)`.mapWith(
        names,
      ),
      foreignKeys:
        sql`(select json_group_array(json_object('parent', f."table", 'from', f."from", 'to', f."to")) from pragma_foreign_key_list(m.name) f)`.mapWith(
          json<ForeignKey[]>(),
        ),
    },
    (columns) => sql`select ${columns} from sqlite_master m where ${isStored} order by m.name`,
  ),
);

/** Statement: the definitions of tables, indexes and triggers. Databases of the same release have the same ones. */
export const listDefinitions = unregisteredStatement({}, () =>
  selectRows(
    { definition: sql`m.sql`.mapWith(text) },
    (
      columns,
    ) => sql`select ${columns} from sqlite_master m where m.sql is not null and m.name <> ${sql.raw(`'${MARKER}'`)}
      and m.name not like 'sqlite\\_%' escape '\\' and m.name not like '\\_cf\\_%' escape '\\'
      and m.name <> 'd1_migrations' order by m.name`,
  ),
);

/** Statement: the highest id that each table with AUTOINCREMENT ever had. */
export const listSequences = unregisteredStatement({}, () =>
  selectRows(
    { name: sql`name`.mapWith(text), seq: sql`seq`.mapWith(integer) },
    (columns) => sql`select ${columns} from sqlite_sequence where name not like 'scheduled\\_job\\_%' escape '\\'
      and name <> 'd1_migrations' order by name`,
  ),
);

/** Maximum number of rows of a page. A page ends earlier when its rows exceed PAGE_BYTES. */
export const PAGE_ROWS = 500;
const PAGE_BYTES = 1_000_000;

/** The rows of one company, and the values that they have in its export. */
export type CompanyScope = { companyId: number; rule: CompanyRule; values: ExportedValues };

function isOfCompany(rule: CompanyRule, company: SQL): SQL {
  if ("prefixed" in rule) {
    const column = sql.identifier(rule.prefixed);
    return sql`${column} >= ${company} || ':' and ${column} < ${company} || ';'`;
  }
  const column = sql.identifier(rule.column);
  if (rule.in === undefined) return sql`${column} = ${company}`;
  return sql`${column} in (select ${sql.identifier(rule.in.column)} from ${sql.identifier(rule.in.table)} where company_id = ${company})`;
}

/**
 * Returns the statement of the rows after a key, of all companies or of one, as JSON arrays of all columns and of the key. Numbers
 * stay exact in the texts.
 */
export function readPage(
  { name, columns, key }: StoredTable,
  after: string | null,
  scope: CompanyScope | null,
): Bound<PageRow> {
  const order = sql.raw(columnList(key));
  const row = sql`json_array(${sql.join(
    columns.map((column) => exportedValue(column, scope?.values ?? {})),
    sql`, `,
  )})`;
  return unregisteredStatement({ after: nullable(text), company: nullable(integer) }, (p) => {
    const position =
      after === null ? sql`${p.after} is null` : sql`(${order}) > (${valuesOf(key.length, sql`${p.after}`)})`;
    const isInScope =
      scope === null ? sql`${p.company} is null` : isOfCompany(scope.rule, sql`cast(${p.company} as integer)`);
    return selectRows(
      { row: sql`"row"`.mapWith(text), key: sql`"key"`.mapWith(text) },
      (selected) => sql`select ${selected} from (
        select ${row} as "row", json_array(${order}) as "key",
          row_number() over (order by ${order}) as number,
          sum(length(cast(${row} as blob))) over (order by ${order}
            rows unbounded preceding) as bytes
        from (select * from ${sql.identifier(name)} where ${position} and ${isInScope}
          order by ${order} limit ${sql.raw(String(PAGE_ROWS))}))
        where number = 1 or bytes <= ${sql.raw(String(PAGE_BYTES))} order by number`,
    );
  })({ after, company: scope?.companyId ?? null });
}

/** A row and its key, as JSON arrays. */
export type PageRow = { row: string; key: string };

const columnList = (columns: readonly string[]) => columns.map((name) => `"${name.replaceAll('"', '""')}"`).join(", ");

/** Returns the stored value of a column, or the literal that stands for it in the export of a company. */
function exportedValue(column: string, values: ExportedValues): SQL {
  const value = values[column];
  if (value === undefined) return sql.raw(columnList([column]));
  return sql.raw(typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value));
}

/** Returns the first members of a JSON array as expressions. */
const valuesOf = (count: number, array: SQL): SQL =>
  sql.join(
    Array.from({ length: count }, (_none, index) => sql`${array} ->> ${sql.raw(String(index))}`),
    sql`, `,
  );

/**
 * Returns the statement that inserts rows, which are JSON arrays of all columns. Rows whose key exists stay as they are. A row whose
 * parent is missing, because it was deleted while the backup was read, is left out.
 */
export function insertRows({ name, columns, foreignKeys }: StoredTable, rows: readonly string[]): Bound {
  const hasParents = foreignKeys.map(({ parent, from, to }) => {
    const value = sql`value ->> ${sql.raw(String(columns.indexOf(from)))}`;
    return sql`and (${value} is null or exists (select 1 from ${sql.identifier(parent)} where ${sql.identifier(to)} = ${value}))`;
  });
  return unregisteredStatement(
    { rows: json<readonly string[]>() },
    (p) =>
      sql`insert or ignore into ${sql.identifier(name)} (${sql.raw(columnList(columns))})
        select ${valuesOf(columns.length, sql`value`)} from json_each(${p.rows}) where true ${sql.join(hasParents, sql` `)}`,
  )({ rows });
}

/** Returns the statement that deletes all rows of a table. */
export const clearTable = ({ name }: Pick<StoredTable, "name">): Bound =>
  unregisteredStatement({}, () => sql`delete from ${sql.identifier(name)}`)();

/** Returns the statement that returns whether a table has a row. */
export const hasRows = (name: string): Bound<{ found: boolean }> =>
  unregisteredStatement({}, () =>
    selectRows(
      { found: sql`exists (select 1 from ${sql.identifier(name)})`.mapWith(boolean) },
      (columns) => sql`select ${columns}`,
    ),
  )();

const marker = sql.raw(MARKER);

/** Statement: create the table that marks a restore. */
export const createMarker = unregisteredStatement(
  {},
  () => sql`create table if not exists ${marker} (id integer primary key check (id = 1), backup text not null)`,
);

/** Statement: note the backup that is being restored. */
export const noteRestore = unregisteredStatement(
  { backup: text },
  (p) => sql`insert or ignore into ${marker} (id, backup) values (1, ${p.backup})`,
);

/** Statement: whether a restore is in progress. */
export const findMarker = unregisteredStatement({}, () =>
  selectRows(
    {
      found:
        sql`exists (select 1 from sqlite_master where type = 'table' and name = ${sql.raw(`'${MARKER}'`)})`.mapWith(
          boolean,
        ),
    },
    (columns) => sql`select ${columns}`,
  ),
);

/** Statement: the backup that is being restored. Only while the marker exists. */
export const findRestore = unregisteredStatement({}, () =>
  selectRows({ backup: sql`backup`.mapWith(text) }, (columns) => sql`select ${columns} from ${marker}`),
);

/** Statement: end the restore. */
export const dropMarker = unregisteredStatement({}, () => sql`drop table if exists ${marker}`);

/** Statement: raise the highest id of a table with AUTOINCREMENT. */
export const setSequence = unregisteredStatement(
  { name: text, seq: integer },
  (p) => sql`update sqlite_sequence set seq = max(seq, cast(${p.seq} as integer)) where name = ${p.name}`,
);

/** Statement: add the highest id of a table with AUTOINCREMENT that has no rows. */
export const addSequence = unregisteredStatement(
  { name: text, seq: integer },
  (p) => sql`insert into sqlite_sequence (name, seq) select ${p.name}, cast(${p.seq} as integer)
    where not exists (select 1 from sqlite_sequence where name = ${p.name})`,
);
