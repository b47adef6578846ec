import { and, desc, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { EventLogTable } from "../../../../db/kit/webhooks";
import { type Codec, integer, json, nullable, type ValueOf } from "../../db/kind";
import { each, type Fields, from, indexedBy, type RowOf, rows } from "../../db/query";
import { type Bound, statement } from "../../db/statement";
import { highestCount } from "../../http/paging/walk-page";

/** What a list may be asked for besides its key: the kind of the value, and the term that a row then has to meet. */
export type LogFilters<T = EventLogTable> = Record<string, readonly [kind: Codec, term: (x: T, asked: SQL) => SQL]>;

/** Values of filters; null: not asked for. */
type Asked<F extends LogFilters<never>> = { [K in keyof F]: ValueOf<F[K][0]> | null };

/** A value of the key of a list. */
export type Key = string | number | boolean;

const common = {
  company: nullable(integer),
  keys: json<readonly Key[]>(),
  from: integer,
  until: integer,
  cursor_time: integer,
  cursor_id: integer,
};

type Common = { [K in keyof typeof common]: ValueOf<(typeof common)[K]> };

/** Both statements of a list: its rows, newest first, one more than the page holds; and how many there are. */
export type LogList<Row, A> = {
  rows: (values: Common & A & { size: number; offset: number }) => Bound<Row>;
  count: (values: Common & A) => Bound<{ count: number }>;
};

/**
 * Rows of each value by an index that ends with the time, no more than the page needs, then merged: a list costs what it
 * shows, not what the log holds (CROSS JOIN keeps the values in front). `key` matches a row with one of the values that the
 * index leads to; filters are looked at row by row. Call at module level.
 */
export function createLogList<T extends EventLogTable, C extends Fields, F extends LogFilters<T>>(
  log: T,
  { index, columns, key, filters }: { index: string; columns: (e: T) => C; key: (x: T, value: SQL) => SQL; filters: F },
): LogList<RowOf<C>, Asked<F>> {
  const e = alias(log, "e") as unknown as T;
  const x = alias(log, "x") as unknown as T;
  const kinds = Object.fromEntries(Object.entries(filters).map(([name, [kind]]) => [name, nullable(kind)]));

  type Placeholders = { [K in keyof Common | "size" | "offset"]: SQL } & Record<string, SQL>;
  /** The values of the key, and which rows of x each of them leads to. */
  const match = (p: Placeholders) => {
    const keys = each(p.keys as SQL<readonly Key[]>, "k");
    const terms = Object.entries(filters).map(([name, [, term]]) => {
      const asked = p[name] as SQL;
      return sql`(${asked} is null or ${term(x, asked)})`;
    });
    const where = and(
      sql`${x.company_id} is ${p.company}`,
      key(x, keys.value),
      sql`${x.created_at} >= ${p.from} and ${x.created_at} < ${p.until}`,
      sql`(${x.created_at} < ${p.cursor_time} or ${x.id} < ${p.cursor_id})`,
      ...terms,
    );
    return { keys: keys.from, where };
  };

  const list = statement({ ...common, ...kinds, size: integer, offset: integer }, (p) => {
    const { keys, where } = match(p as unknown as Placeholders);
    return rows(
      columns(e),
      (selected) => sql`select ${selected} from ${keys} cross join ${from(e)} on ${e.id} in
          (select ${x.id} from ${indexedBy(x, index)} where ${where}
           order by ${desc(x.created_at)}, ${desc(x.id)} limit ${p.size} + ${p.offset})
        order by ${desc(e.created_at)}, ${desc(e.id)} limit ${p.size} offset ${p.offset}`,
    );
  });
  const count = statement({ ...common, ...kinds }, (p) => {
    const { keys, where } = match(p as unknown as Placeholders);
    return rows(
      { count: sql`count(*)`.mapWith(integer) },
      (selected) => sql`select ${selected} from
        (select 1 from ${keys} cross join ${indexedBy(x, index)} on ${where} limit ${highestCount})`,
    );
  });
  return { rows: list, count } as unknown as LogList<RowOf<C>, Asked<F>>;
}
