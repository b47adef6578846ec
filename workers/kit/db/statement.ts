import { Column, is, Param, Placeholder, SQL, type SQLWrapper, sql } from "drizzle-orm";
import { createDialect } from "./dialect";
import { type Codec, decode, encode, integer, type SqlValue, type ValueOf } from "./kind";
import { codecOfField, type RowTemplate, resultColumnName } from "./query";

type Parameters = Record<string, Codec>;

/** The parameters of a statement as its query uses them; the builder's `limit()` and `offset()` accept them too. */
type Placeholders<P extends Parameters> = { readonly [K in keyof P]: SQL<ValueOf<P[K]>> & Placeholder<string> };

type Values<P extends Parameters> = { readonly [K in keyof P]: ValueOf<P[K]> };

type Exact<P extends Parameters, V> = V & { [K in Exclude<keyof V, keyof P>]: never };

/**
 * The row type of a query: the fields that a builder selects or returns, or the fields of `selectRows`. A plain
 * template has no rows.
 */
type RowOfQuery<Q> = Q extends RowTemplate<infer R> ? R : Q extends { _: { result: (infer R)[] } } ? R : never;

/** One SQL text with its values, in the order of its parameters. */
type Part = { readonly text: string; readonly values: SqlValue[] };

/** A row as D1 returns it. */
export type StoredRow = Record<string, SqlValue>;

/**
 * A statement with its values, followed by the statements that must directly follow it in the batch. `read` decodes a
 * row of the first statement.
 */
export type Bound<Row = never> = { readonly parts: readonly Part[]; readonly read: (stored: StoredRow) => Row };

/** A registered statement. Call it with values to get a statement that Db can run. */
export type Statement<P extends Parameters, Row> = {
  <V extends Values<P>>(...values: keyof P extends never ? [] : [Exact<P, V>]): Bound<Row>;
  /** the SQL text; throws when the statement cannot be built */
  readonly text: string;
};

/** The row type that a statement returns. */
export type RowOfStatement<S extends (...values: never) => Bound<unknown>> =
  ReturnType<S> extends Bound<infer Row> ? Row : never;

type Compiled = { text: string; codecs: Codec[]; names: string[]; read: (stored: StoredRow) => never };

const registered: { readonly text: string }[] = [];

/** Returns the SQL texts of all statements in the modules loaded so far. Builds every statement. */
export function registeredStatements(): readonly string[] {
  return [...new Set(registered.map(({ text }) => text))];
}

/**
 * Registers a statement. Each parameter is declared by the column that it is compared with, or by a kind, and is bound
 * once even when it is used several times. Other values in the query become literals. The statement is built at its
 * first use, once per isolate.
 */
export function statement<P extends Parameters, Q extends SQLWrapper | RowTemplate<unknown>>(
  parameters: P,
  build: (p: Placeholders<P>) => Q,
): Statement<P, RowOfQuery<Q>> {
  const created = unregisteredStatement(parameters, build);
  registered.push(created);
  return created;
}

/**
 * Like `statement`, for a statement whose text depends on the request, such as a filter. Only such statements may use it, because
 * plan tests do not see them.
 */
export function unregisteredStatement<P extends Parameters, Q extends SQLWrapper | RowTemplate<unknown>>(
  parameters: P,
  build: (p: Placeholders<P>) => Q,
): Statement<P, RowOfQuery<Q>> {
  let compiled: Compiled | undefined;
  const get = () => {
    compiled ??= compile(parameters, build as (p: never) => SQLWrapper | RowTemplate<unknown>);
    return compiled;
  };
  const bind = (values: Record<string, unknown> = {}): Bound => {
    const { text, names, codecs, read } = get();
    const stored = names.map((name, index) => encode(codecs[index] as Codec, values[name] ?? null));
    return { parts: [{ text, values: stored }], read };
  };
  return Object.defineProperty(bind, "text", { get: () => get().text }) as unknown as Statement<P, RowOfQuery<Q>>;
}

/**
 * Returns a change together with the statements that must directly follow it, such as an audit entry that reads
 * `changes()`. The result is the result of the change.
 */
export function followedBy<Row>(change: Bound<Row>, ...following: Bound<unknown>[]): Bound<Row> {
  return { parts: [change, ...following].flatMap(({ parts }) => parts), read: change.read };
}

/** Matches a parameter that `||` joins to a text. */
const joinedParameter = /\|\| *\(?\?(\d+)|\?(\d+)\)? *\|\|/g;

const isInteger = (codec: Codec) => codec === integer || (is(codec, Column) && codec.getSQLType() === "integer");

function compile(parameters: Parameters, build: (p: never) => SQLWrapper | RowTemplate<unknown>): Compiled {
  try {
    const query = build(placeholders(parameters) as never);
    const template = "template" in query ? query.template : query.getSQL();
    const { text, names } = textOf(template, parameters);
    const unused = Object.keys(parameters).filter((name) => !names.includes(name));
    if (unused.length > 0) throw new Error(`unused parameters: ${unused.join(", ")}`);
    const codecs = names.map((name) => parameters[name] as Codec);
    const joined = [...text.matchAll(joinedParameter)].find(([, before, after]) =>
      isInteger(codecs[Number(before ?? after) - 1] as Codec),
    );
    if (joined) throw new Error(`cast the number to integer: "${joined[0]}" would join it as a REAL, such as 1.0`);
    return { text, names, codecs, read: readerOf(query) };
  } catch (cause) {
    const source = String(build).replace(/\s+/g, " ").slice(0, 300);
    throw new Error(`a statement cannot be built: ${cause instanceof Error ? cause.message : cause} in ${source}`, {
      cause,
    });
  }
}

function placeholders(parameters: Parameters): object {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, codec]) => [
      name,
      new SQL([new Param(new Placeholder(name), codec as never)]).mapWith(codec as never),
    ]),
  );
}

/** Renders the template with numbered parameters. A repeated parameter keeps its number (`?1`). */
function textOf(template: SQL, parameters: Parameters): { text: string; names: string[] } {
  const names: string[] = [];
  const dialect = createDialect();
  dialect.escapeParam = (_number: number, chunk?: unknown) => {
    const value = is(chunk, Param) ? chunk.value : chunk;
    if (!is(value, Placeholder) || !Object.hasOwn(parameters, value.name))
      throw new Error("a value is not a declared parameter");
    if (!names.includes(value.name)) names.push(value.name);
    return `?${names.indexOf(value.name) + 1}`;
  };
  const { sql: text } = dialect.sqlToQuery(sql`${template}`.inlineParams());
  return { text, names };
}

type Field = { path: string[]; field: unknown };

/**
 * Returns the fields of a query's rows: the fields of `selectRows`, of a builder's selection, or of its RETURNING
 * clause.
 */
function fieldsOf(query: SQLWrapper | RowTemplate<unknown>): Field[] {
  if ("template" in query) return Object.entries(query.fields).map(([key, field]) => ({ path: [key], field }));
  const { config } = query as { config?: { fields?: object; returning?: Field[] } };
  if (config?.returning) return config.returning;
  return Object.entries(config?.fields ?? {}).map(([key, field]) => ({ path: [key], field }));
}

function readerOf(query: SQLWrapper | RowTemplate<unknown>): Compiled["read"] {
  const codecs = new Map<string, Codec>();
  for (const { path, field } of fieldsOf(query)) {
    const key = path.join(".");
    // A template names result columns by key; a builder uses Drizzle's names.
    const name = "template" in query ? key : (resultColumnName(field) ?? key);
    if (codecs.has(name)) throw new Error(`two results are named "${name}"`);
    if (name !== key) throw new Error(`the result "${name}" would be read as "${key}": give it that alias`);
    codecs.set(name, codecOfField(key, field));
  }
  return (stored) => {
    const row: Record<string, unknown> = {};
    for (const [key, codec] of codecs) row[key] = decode(codec, stored[key] ?? null);
    return row as never;
  };
}
