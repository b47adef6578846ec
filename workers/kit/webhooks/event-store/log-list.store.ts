import { and, desc, isNotNull, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { EventLogTable } from "../../../../db/kit/webhooks";
import { boundedScan, type ScanInputs, scanParameters } from "../../db/bounded-scan";
import { type Codec, integer, json, nullable, text, type ValueOf } from "../../db/kind";
import {
  filterUnlessNull,
  indexedBy,
  jsonEach,
  type SelectedRow,
  type Selection,
  selectRows,
  tableReference,
} from "../../db/query";
import { type Bound, statement } from "../../db/statement";
import type { scanOfPage } from "../../http/paging/scan";

// Lists of an event log, newest first. They scan the primary key, or an index that ends with it. A list is either
// exactly the range of the scan, or filtered row by row; a filtered list returns an end row.

/** The filters of a list in addition to the company: the kind of the value, and the condition for a row. */
export type LogFilters<T = EventLogTable> = Record<string, readonly [kind: Codec, term: (log: T, filter: SQL) => SQL]>;

/** The values of the filters; null when a filter is not used. */
export type FilterValues<F extends LogFilters<never>> = { [K in keyof F]: ValueOf<F[K][0]> | null };

/** The rows of a company whose ids are between two texts. */
export type Range = { company: number; above: string; below: string };

/** Like Range, for one user when the list uses the index of users. */
export type UserRange = Range & { by?: number };

/** The statements that read a page of a list without filters, and the total number of its rows. */
export type ExactList<Row, R extends Range> = {
  rows: (values: R & { size: number; offset: number }) => Bound<Row>;
  count: (values: R & { max: number }) => Bound<{ count: number }>;
};

/** The columns of the end row of a scan; see `boundedScan`. */
export type ScanEnd = { match_count: number | null; is_limit_reached: boolean | null };

/** The statement that reads a page of a list whose rows are filtered one by one. */
export type FilteredList<Row, A> = (values: UserRange & A & ReturnType<typeof scanOfPage>) => Bound<Row & ScanEnd>;

const range = { company: integer, above: text, below: text };
type RangeParameters = { [K in keyof typeof range]: SQL };

const isBetween = <T extends EventLogTable>(log: T, p: RangeParameters) =>
  sql`${log.company_id} = ${p.company} and ${log.id} > ${p.above} and ${log.id} < ${p.below}`;

/** Returns the rows in key order. With `userIndex` they are limited to one user. */
function rangeOf<T extends EventLogTable>(log: T, userIndex: string | undefined, p: RangeParameters & { by?: SQL }) {
  if (userIndex === undefined) return { source: tableReference(log), where: isBetween(log, p) };
  return { source: indexedBy(log, userIndex), where: sql`${log.user_id} = ${p.by} and ${isBetween(log, p)}` };
}

const parametersOf = (userIndex: string | undefined) => ({
  ...range,
  ...(userIndex === undefined ? {} : { by: integer }),
});

/**
 * Returns a list of all rows of a company in key order, or of a user's rows when `userIndex` is set. Call it at module
 * level.
 */
export function createExactList<T extends EventLogTable, C extends Selection>(
  log: T,
  columns: (log: T) => C,
  userIndex?: string,
): ExactList<SelectedRow<C>, UserRange> {
  const event = alias(log, "event") as unknown as T;
  const parameters = parametersOf(userIndex);
  const list = statement({ ...parameters, size: integer, offset: integer }, (p) => {
    const { source, where } = rangeOf(event, userIndex, p);
    return selectRows(
      columns(event),
      (selected) => sql`select ${selected} from ${source} where ${where}
        order by ${desc(event.id)} limit ${p.size} offset ${p.offset}`,
    );
  });
  const count = statement({ ...parameters, max: integer }, (p) => {
    const { source, where } = rangeOf(event, userIndex, p);
    return selectRows(
      { count: sql`count(*)`.mapWith(integer) },
      (selected) => sql`select ${selected} from (select 1 from ${source} where ${where} limit ${p.max})`,
    );
  });
  return { rows: list, count } as unknown as ExactList<SelectedRow<C>, UserRange>;
}

/**
 * Returns a list of the rows of some types. It uses the index of rarely written types, whose condition is `isRare`. Of each
 * type it reads no more rows than the page needs, and merges them. CROSS JOIN makes SQLite read the types first. Call it at
 * module level.
 */
export function createTypeList<T extends EventLogTable, C extends Selection>(
  log: T,
  columns: (log: T) => C,
  isRare: (log: T) => SQL,
) {
  const event = alias(log, "event") as unknown as T;
  const scanned = alias(log, "scanned") as unknown as T;
  const parameters = { ...range, types: json<readonly string[]>() };
  const ofType = (type: SQL, p: RangeParameters) =>
    sql`${scanned.event_type} = ${type} and ${isRare(scanned)} and ${isBetween(scanned, p)}`;
  return {
    rows: statement({ ...parameters, size: integer, offset: integer }, (p) => {
      const type = jsonEach(p.types, "type");
      return selectRows(
        columns(event),
        (selected) => sql`select ${selected} from ${type.from}
          cross join ${tableReference(event)} on ${event.company_id} = ${p.company}
            and ${event.id} in (select ${scanned.id} from ${indexedBy(scanned, RARE_INDEX)} where ${ofType(type.value, p)}
              order by ${desc(scanned.id)} limit ${p.size} + ${p.offset})
          order by ${desc(event.id)} limit ${p.size} offset ${p.offset}`,
      );
    }),
    count: statement({ ...parameters, max: integer }, (p) => {
      const type = jsonEach(p.types, "type");
      return selectRows(
        { count: sql`count(*)`.mapWith(integer) },
        (selected) => sql`select ${selected} from (select 1 from ${type.from}
          cross join ${indexedBy(scanned, RARE_INDEX)} on ${ofType(type.value, p)} limit ${p.max})`,
      );
    }),
  };
}

const RARE_INDEX = "event_log_rare";

/**
 * Returns a list of the rows that match filters. It scans the key, or the rows of a user when `userIndex` is set.
 * `always` is a condition that always applies. Call it at module level.
 */
export function createFilteredList<T extends EventLogTable, C extends Selection, F extends LogFilters<T>>(
  log: T,
  columns: (log: T) => C,
  filters: F,
  { userIndex, always }: { userIndex?: string; always?: (log: T) => SQL } = {},
): FilteredList<SelectedRow<C>, FilterValues<F>> {
  const event = alias(log, "event") as unknown as T;
  const scanned = alias(log, "scanned") as unknown as T;
  const list = statement({ ...parametersOf(userIndex), ...kindsOf(filters), ...scanParameters }, (parameters) => {
    const p = parameters as unknown as RangeParameters & ScanInputs & Terms;
    const { source, where } = rangeOf(scanned, userIndex, p);
    const matches = sql`${and(...(always === undefined ? [] : [always(scanned)]), ...termsOf(filters, scanned, p))}`;
    const page = boundedScan(
      { key: scanned.id, matches, range: sql`from ${source} where ${where} order by ${desc(scanned.id)}` },
      p,
    );
    return selectRows(
      { ...columns(event), ...page.end },
      (selected) => sql`select ${selected} from ${page.from}
        cross join ${tableReference(event)} on ${event.company_id} = ${p.company} and ${event.id} = ${page.key}
          order by ${desc(event.id)}`,
    );
  });
  return list as unknown as FilteredList<SelectedRow<C>, FilterValues<F>>;
}

type Terms = Record<string, SQL>;

const kindsOf = (filters: LogFilters<never>) =>
  Object.fromEntries(Object.entries(filters).map(([name, [kind]]) => [name, nullable(kind)]));

const termsOf = <T>(filters: LogFilters<T>, log: T, p: Terms) =>
  Object.entries(filters).map(([name, [, term]]) => filterUnlessNull(p[name] as SQL, term(log, p[name] as SQL)));

/**
 * Returns the statement that finds an event by its id, in the key or in the older id column. It returns no row when the
 * event does not match the filters. Call it at module level.
 */
export function createEventFinder<T extends EventLogTable, C extends Selection, F extends LogFilters<T>>(
  log: T,
  columns: (log: T) => C,
  filters: F,
): (values: Range & { event: string } & FilterValues<F>) => Bound<SelectedRow<C>> {
  const event = alias(log, "event") as unknown as T;
  const identified = alias(log, "by_event_id") as unknown as T;
  const finder = statement({ ...range, event: text, ...kindsOf(filters) }, (parameters) => {
    const p = parameters as unknown as RangeParameters & Record<"event", SQL> & Terms;
    const byEventId = sql`select ${identified.id} from ${tableReference(identified)}
      where ${isNotNull(identified.event_id)} and ${identified.event_id} = ${p.event}`;
    return selectRows(
      columns(event),
      (selected) => sql`select ${selected} from ${tableReference(event)} where ${isBetween(event, p)}
        and ${event.id} in (select ${p.event} union all ${byEventId})
        and coalesce(${event.event_id}, ${event.id}) = ${p.event} and ${and(...termsOf(filters, event, p))}`,
    );
  });
  return finder as unknown as (values: Range & { event: string } & FilterValues<F>) => Bound<SelectedRow<C>>;
}
