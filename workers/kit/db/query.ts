import {
  type AnyColumn,
  Column,
  getTableColumns,
  is,
  noopDecoder,
  Param,
  SQL,
  type SQLWrapper,
  sql,
  Table,
} from "drizzle-orm";
import {
  type AnySQLiteColumn,
  SQLiteDeleteBase,
  SQLiteInsertBuilder,
  SQLiteSelectBuilder,
  type SQLiteTable,
  SQLiteUpdateBuilder,
} from "drizzle-orm/sqlite-core";
import { createDialect } from "./dialect";
import { type Codec, type Kind, nullable, type ValueOf } from "./kind";

const dialect = createDialect();
// Db runs the statements, so the builder never needs a session.
const session = {} as never;

/** A selection: columns, or expressions whose kind is set with `mapWith`. */
export type Selection = Record<string, AnySQLiteColumn | SQL<unknown> | SQL.Aliased<unknown>>;

/**
 * Drizzle's query builder, without the means to run a query. Result rows have the keys of the selection: a column
 * selected under another key gets that key as its alias.
 */
export const queryBuilder = {
  select: <F extends Selection>(fields: F) =>
    new SQLiteSelectBuilder<F, "async", unknown>({ fields: aliasFields(fields) as F, session, dialect }),
  selectDistinct: <F extends Selection>(fields: F) =>
    new SQLiteSelectBuilder<F, "async", unknown>({
      fields: aliasFields(fields) as F,
      session,
      dialect,
      distinct: true,
    }),
  insert: <T extends SQLiteTable>(table: T) => new SQLiteInsertBuilder<T, "async", unknown>(table, session, dialect),
  update: <T extends SQLiteTable>(table: T) => new SQLiteUpdateBuilder<T, "async", unknown>(table, session, dialect),
  delete: <T extends SQLiteTable>(table: T) => new SQLiteDeleteBase<T, "async", unknown>(table, session, dialect),
};

/** Returns all columns of a table, for a selection. */
export const allColumns = <T extends Table>(table: T): T["_"]["columns"] => getTableColumns(table);

function aliasFields(fields: Selection): Selection {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, aliasField(key, field)]));
}

/** Returns the field with its key in the selection as the alias. */
function aliasField(key: string, field: Selection[string]): Selection[string] {
  if (is(field, SQL.Aliased)) return field;
  if (is(field, Column)) return field.name === key ? field : sql`${field}`.mapWith(field).as(key);
  // The extra template keeps table names. Without it, Drizzle omits the table name from the columns of an expression if the
  // query has only one table. A subquery in the expression would then use its own columns of the same name.
  return sql`${field}`.mapWith(readDecoder(field) as Kind<unknown>).as(key);
}

/**
 * Returns the codec of a field in a selection. Throws for an expression without a kind, because its type could be
 * wrong.
 */
export function codecOfField(key: string, field: unknown): Codec {
  if (is(field, Column)) return field as AnySQLiteColumn;
  const decoder = is(field, SQL) ? readDecoder(field) : is(field, SQL.Aliased) ? readDecoder(field.sql) : undefined;
  if (decoder === undefined) throw new Error(`the result "${key}" is neither a column nor an expression`);
  if (decoder === noopDecoder)
    throw new Error(`the expression "${key}" has no type; add .mapWith(integer) or another kind`);
  return decoder as Codec;
}

// Drizzle stores the decoder on the expression for its own drivers, but omits it from the types.
const readDecoder = (expression: SQL) => (expression as unknown as { decoder: unknown }).decoder;

/** Returns the name under which D1 returns a field of a builder's selection. */
export function resultColumnName(field: unknown): string | undefined {
  if (is(field, Column)) return field.name;
  return is(field, SQL.Aliased) ? field.fieldAlias : undefined;
}

/** An SQL template and the fields of the rows it returns. */
export type RowTemplate<Row> = { readonly template: SQL; readonly fields: Selection; readonly row?: Row };

/** The row type of a selection: the value of the column or kind under each key. */
export type SelectedRow<F extends Selection> = {
  [K in keyof F]: F[K] extends AnySQLiteColumn
    ? ValueOf<F[K]>
    : F[K] extends SQL<infer T>
      ? T
      : F[K] extends SQL.Aliased<infer T>
        ? T
        : never;
};

/**
 * Returns a template that selects rows. `columns` is built from `fields`, so the names, types and values of the rows
 * match the SQL: `selectRows({ id: u.id, n: sql`count(*)`.mapWith(integer) }, (columns) => sql`select ${columns} …`)`.
 */
export function selectRows<F extends Selection>(fields: F, build: (columns: SQL) => SQL): RowTemplate<SelectedRow<F>> {
  const columns = Object.entries(fields).map(([key, field]) => {
    const expression = is(field, SQL.Aliased) ? field.sql : field;
    return sql`${expression} as ${sql.identifier(key)}`;
  });
  return { template: build(sql.join(columns, sql`, `)), fields };
}

/** Returns a column of a LEFT JOIN; it is null when no row was joined. */
export function nullableColumn<C extends AnySQLiteColumn>(column: C): SQL<ValueOf<C> | null> {
  return sql`${column}`.mapWith(nullable(column)) as SQL<ValueOf<C> | null>;
}

/** Returns the columns of a LEFT JOIN; see nullableColumn. */
export function leftJoined<F extends Record<string, AnySQLiteColumn>>(columns: F) {
  const entries = Object.entries(columns).map(([key, column]) => [key, nullableColumn(column)]);
  return Object.fromEntries(entries) as { [K in keyof F]: SQL<ValueOf<F[K]> | null> };
}

/** Returns `"table" "alias"` for FROM and JOIN in a template; `table` comes from `alias()`. */
export function tableReference(table: SQLiteTable): SQL {
  const { Name, OriginalName } = tableSymbols;
  const { [Name]: name, [OriginalName]: original } = table as unknown as Record<symbol, string>;
  if (name === undefined || original === undefined) throw new Error("not a table");
  return name === original ? sql`${table}` : sql`${sql.identifier(original)} ${sql.identifier(name)}`;
}

/** Like `tableReference`, with INDEXED BY: SQLite rejects the statement when it cannot use the index. */
export const indexedBy = (table: SQLiteTable, index: string): SQL =>
  sql`${tableReference(table)} indexed by ${sql.identifier(index)}`;

// Drizzle's types mark the symbols of a table as internal.
const tableSymbols = (Table as unknown as { Symbol: { Name: symbol; OriginalName: symbol } }).Symbol;

/** Returns the unqualified name of a column, for clauses where SQL allows no table name. */
export const columnName = (column: AnyColumn): SQL => sql`${sql.identifier(column.name)}`;

/**
 * Returns a condition: the term, or true when the parameter is null. A filter without a value thus matches every row.
 */
export const filterUnlessNull = (parameter: SQLWrapper, term: SQLWrapper): SQL =>
  sql`(${parameter} is null or ${term})`;

/** Returns `json_object('key', expression, …)`. Boolean columns appear as 0 or 1. */
export function jsonObject(members: Record<string, SQLWrapper>): SQL {
  const pairs = Object.entries(members).map(([key, value]) => sql`${key}, ${value}`);
  return sql`json_object(${sql.join(pairs, sql`, `)})`;
}

type ValueOrSql<T> = T | SQLWrapper;

/** A value for each column of a new row: a literal, a parameter or an expression. */
export type InsertValues<T extends SQLiteTable> = { [K in keyof T["$inferInsert"]]: ValueOrSql<T["$inferInsert"][K]> };

/**
 * Returns `INSERT INTO table (…) SELECT …` with one value for each column; `rest` holds FROM, WHERE and ON CONFLICT.
 */
export function insertSelect<T extends SQLiteTable>(table: T, values: InsertValues<T>, rest: SQL): SQL {
  const entries = entriesOf(table, values);
  const names = sql.join(
    entries.map(({ column }) => columnName(column)),
    sql`, `,
  );
  const selected = sql.join(
    entries.map(({ value }) => value),
    sql`, `,
  );
  return sql`insert into ${table} (${names}) select ${selected} ${rest}`;
}

/**
 * Returns `column = value, …` for the SET clause of a template. It accepts the same values as the builder's `set()`.
 */
export function assignments<T extends SQLiteTable>(table: T, values: Partial<InsertValues<T>>): SQL {
  return sql.join(
    entriesOf(table, values).map(({ column, value }) => sql`${columnName(column)} = ${value}`),
    sql`, `,
  );
}

function entriesOf(table: SQLiteTable, values: object): { column: AnyColumn; value: SQLWrapper }[] {
  const columns: Record<string, AnyColumn> = getTableColumns(table);
  return Object.entries(values).flatMap(([key, value]) => {
    const column = columns[key];
    if (column === undefined) throw new Error(`the table has no column "${key}"`);
    if (value === undefined) return [];
    return [{ column, value: isExpression(value) ? value : sql`${new Param(value, column)}` }];
  });
}

const isExpression = (value: unknown): value is SQLWrapper =>
  typeof value === "object" && value !== null && typeof (value as Partial<SQLWrapper>).getSQL === "function";

/** Returns the members of a JSON value by key; null for a missing member. */
export function jsonMembers<T>(value: SQL<T>): { [K in keyof T]-?: SQL<T[K]> } {
  return new Proxy({} as { [K in keyof T]-?: SQL<T[K]> }, {
    get: (_target, key) => sql`${value} ->> ${sql.raw(`'${String(key)}'`)}`,
  });
}

/**
 * Reads a list of any length that is bound as one JSON parameter. `from` is a table for FROM, `item.key` is a member of
 * an item, and `value` is the whole item.
 */
export function jsonEach<T>(
  list: SQL<readonly T[]>,
  alias = "r",
): { from: SQL; value: SQL<T>; item: { [K in keyof T]-?: SQL<T[K]> } } {
  const value = sql<T>`${sql.raw(alias)}.value`;
  return { from: sql`json_each(${list}) ${sql.raw(alias)}`, value, item: jsonMembers(value) };
}

/**
 * Returns the condition that a value is in a list that is bound as one JSON parameter. It is never true for a null
 * list.
 */
export function isInList<T>(value: SQLWrapper, list: SQL<readonly T[] | null>): SQL<boolean> {
  return sql<boolean>`${value} in (select value from json_each(${list}))`;
}
