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
// Statements are built here and run by Db: no builder ever asks for a session.
const session = {} as never;

/** What a selection may hold: a column, or an expression that says its kind by `mapWith`. */
export type Fields = Record<string, AnySQLiteColumn | SQL<unknown> | SQL.Aliased<unknown>>;

/**
 * Drizzle's query builder. It never runs a query. Results have the keys of a selection: a column under another name gets
 * that name as alias.
 */
export const q = {
  select: <F extends Fields>(fields: F) =>
    new SQLiteSelectBuilder<F, "async", unknown>({ fields: named(fields) as F, session, dialect }),
  selectDistinct: <F extends Fields>(fields: F) =>
    new SQLiteSelectBuilder<F, "async", unknown>({ fields: named(fields) as F, session, dialect, distinct: true }),
  insert: <T extends SQLiteTable>(table: T) => new SQLiteInsertBuilder<T, "async", unknown>(table, session, dialect),
  update: <T extends SQLiteTable>(table: T) => new SQLiteUpdateBuilder<T, "async", unknown>(table, session, dialect),
  delete: <T extends SQLiteTable>(table: T) => new SQLiteDeleteBase<T, "async", unknown>(table, session, dialect),
};

/** Every column of a table, for a selection. */
export const all = <T extends Table>(table: T): T["_"]["columns"] => getTableColumns(table);

function named(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, as(key, field)]));
}

/** The field under the name that the result shall have. */
function as(key: string, field: Fields[string]): Fields[string] {
  if (is(field, SQL.Aliased)) return field;
  if (is(field, Column)) return field.name === key ? field : sql`${field}`.mapWith(field).as(key);
  // Inside another template: of a query of one table, Drizzle leaves the table's name out of an expression's own columns, and
  // an inner query would take its own column of that name.
  return sql`${field}`.mapWith(readDecoder(field) as Kind<unknown>).as(key);
}

/** How a field of a result is read; throws for an expression that says no kind, whose type could lie. */
export function codecOf(key: string, field: unknown): Codec {
  if (is(field, Column)) return field as AnySQLiteColumn;
  const decoder = is(field, SQL) ? readDecoder(field) : is(field, SQL.Aliased) ? readDecoder(field.sql) : undefined;
  if (decoder === undefined) throw new Error(`the result "${key}" is neither a column nor an expression`);
  if (decoder === noopDecoder) throw new Error(`the expression "${key}" does not say its kind: .mapWith(integer) …`);
  return decoder as Codec;
}

// Drizzle keeps it on the expression for its own drivers and leaves it out of the types.
const readDecoder = (expression: SQL) => (expression as unknown as { decoder: unknown }).decoder;

/** The name under which D1 answers a field of a builder's selection. */
export function nameOf(field: unknown): string | undefined {
  if (is(field, Column)) return field.name;
  return is(field, SQL.Aliased) ? field.fieldAlias : undefined;
}

/** A template with the shape of its rows. */
export type Rows<Row> = { readonly template: SQL; readonly fields: Fields; readonly row?: Row };

/** The row of a selection: a value of its column or of its kind under each key. */
export type RowOf<F extends Fields> = {
  [K in keyof F]: F[K] extends AnySQLiteColumn
    ? ValueOf<F[K]>
    : F[K] extends SQL<infer T>
      ? T
      : F[K] extends SQL.Aliased<infer T>
        ? T
        : never;
};

/**
 * A template that answers rows. `columns` is the selection, made of `fields`, so that names, types and values of the rows
 * are those of the text: `rows({ id: u.id, n: sql`count(*)`.mapWith(integer) }, (columns) => sql`select ${columns} …`)`.
 */
export function rows<F extends Fields>(fields: F, build: (columns: SQL) => SQL): Rows<RowOf<F>> {
  const columns = Object.entries(fields).map(([key, field]) => {
    const expression = is(field, SQL.Aliased) ? field.sql : field;
    return sql`${expression} as ${sql.identifier(key)}`;
  });
  return { template: build(sql.join(columns, sql`, `)), fields };
}

/** A column of a LEFT JOIN, which is null where nothing was joined. */
export function orNull<C extends AnySQLiteColumn>(column: C): SQL<ValueOf<C> | null> {
  return sql`${column}`.mapWith(nullable(column)) as SQL<ValueOf<C> | null>;
}

/** The columns of a LEFT JOIN; see orNull. */
export function leftJoined<F extends Record<string, AnySQLiteColumn>>(columns: F) {
  const entries = Object.entries(columns).map(([key, column]) => [key, orNull(column)]);
  return Object.fromEntries(entries) as { [K in keyof F]: SQL<ValueOf<F[K]> | null> };
}

/** `"table" "alias"` for FROM and JOIN of a template, of a table that `alias()` renamed. */
export function from(table: SQLiteTable): SQL {
  const { Name, OriginalName } = tableSymbols;
  const { [Name]: name, [OriginalName]: original } = table as unknown as Record<symbol, string>;
  if (name === undefined || original === undefined) throw new Error("no table");
  return name === original ? sql`${table}` : sql`${sql.identifier(original)} ${sql.identifier(name)}`;
}

/** As `from`, held to one index: the statement fails when the index cannot serve it. */
export const indexedBy = (table: SQLiteTable, index: string): SQL =>
  sql`${from(table)} indexed by ${sql.identifier(index)}`;

// Drizzle marks the symbols of a table as internal in its types.
const tableSymbols = (Table as unknown as { Symbol: { Name: symbol; OriginalName: symbol } }).Symbol;

/** The bare name of a column, where SQL allows no table before it. */
export const name = (column: AnyColumn): SQL => sql`${sql.identifier(column.name)}`;

/** The term, or true where the parameter is null: what a list is not asked for leaves every row in it. */
export const ifGiven = (parameter: SQLWrapper, term: SQLWrapper): SQL => sql`(${parameter} is null or ${term})`;

/** `json_object('key', expression, …)`; a boolean column stands in it as 0 or 1. */
export function jsonObject(members: Record<string, SQLWrapper>): SQL {
  const pairs = Object.entries(members).map(([key, value]) => sql`${key}, ${value}`);
  return sql`json_object(${sql.join(pairs, sql`, `)})`;
}

type Given<T> = T | SQLWrapper;

/** A value for each column of a new row: a literal, a parameter or an expression. */
export type InsertValues<T extends SQLiteTable> = { [K in keyof T["$inferInsert"]]: Given<T["$inferInsert"][K]> };

/** `INSERT INTO table (…) SELECT …`, each column beside its value; `rest` is FROM, WHERE, ON CONFLICT. */
export function insertSelect<T extends SQLiteTable>(table: T, values: InsertValues<T>, rest: SQL): SQL {
  const given = entriesOf(table, values);
  const names = sql.join(
    given.map(({ column }) => name(column)),
    sql`, `,
  );
  const selected = sql.join(
    given.map(({ value }) => value),
    sql`, `,
  );
  return sql`insert into ${table} (${names}) select ${selected} ${rest}`;
}

/** `column = value, …` for SET of a template; values as in the builder's `set()`. */
export function assign<T extends SQLiteTable>(table: T, values: Partial<InsertValues<T>>): SQL {
  return sql.join(
    entriesOf(table, values).map(({ column, value }) => sql`${name(column)} = ${value}`),
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

/** The members of a JSON value by their keys; null where it lacks one. */
export function membersOf<T>(value: SQL<T>): { [K in keyof T]-?: SQL<T[K]> } {
  return new Proxy({} as { [K in keyof T]-?: SQL<T[K]> }, {
    get: (_target, key) => sql`${value} ->> ${sql.raw(`'${String(key)}'`)}`,
  });
}

/**
 * A list of the caller, given as one JSON parameter: `from` stands in FROM, `of.key` is a member of a row, `value` the row
 * itself. A list is one bound value, however long it is.
 */
export function each<T>(
  list: SQL<readonly T[]>,
  alias = "r",
): { from: SQL; value: SQL<T>; of: { [K in keyof T]-?: SQL<T[K]> } } {
  const value = sql<T>`${sql.raw(alias)}.value`;
  return { from: sql`json_each(${list}) ${sql.raw(alias)}`, value, of: membersOf(value) };
}

/** Whether a value is a member of a list of the caller, given as one JSON parameter; null has no members. */
export function inList<T>(value: SQLWrapper, list: SQL<readonly T[] | null>): SQL<boolean> {
  return sql<boolean>`${value} in (select value from json_each(${list}))`;
}
