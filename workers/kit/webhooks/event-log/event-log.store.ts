import { eq, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { EventLogTable } from "../../../../db/kit/webhooks";
import { type Db, sql as registered, type SqlValue, type Statement } from "../../db";
import { integer, json, nullable, text } from "../../db/kind";
import { all, inList, q, type RowOf } from "../../db/query";
import { statement } from "../../db/statement";
import { highestCount, type LogPage } from "../../http/paging/log-page";
import { createLogList, type LogFilters } from "./log-list.store";

/** The reads of a service's event log. */
export type EventLog = ReturnType<typeof createEventLog>;

/** A row of an event log as the API shows it; a service's own log holds more. */
export type EventRow = RowOf<ReturnType<typeof shownColumns>>;

/** The address stands in the column of that name. */
const shownColumns = (log: EventLogTable, actorEmail: string) => ({
  id: log.id,
  event_id: log.event_id,
  company_id: log.company_id,
  event_type: log.event_type,
  user_id: log.user_id,
  user_email: emailOf(log, actorEmail),
  data: log.data,
  created_at: log.created_at,
});

const emailOf = (log: EventLogTable, actorEmail: string) => {
  const columns: Record<string, AnySQLiteColumn> = all(log);
  return sql`${columns[actorEmail]}`.mapWith(nullable(text));
};

/**
 * Registers the reads of an event log. `actorEmail` is its column of the acting user's address; `userIndex` leads from a
 * user to their events, where the log has one. Call at module level.
 */
export function createEventLog(
  log: EventLogTable,
  { actorEmail, userIndex = "event_log_company" }: { actorEmail: AnySQLiteColumn; userIndex?: string },
) {
  const columns = (named: EventLogTable) => shownColumns(named, actorEmail.name);
  const filters = {
    types: [json<string[]>(), (x, asked) => inList(x.event_type, asked as SQL<string[]>)],
    user_id: [integer, (x, asked) => eq(x.user_id, asked)],
    event_id: [text, (x, asked) => eq(x.event_id, asked)],
    user: [text, (x, asked) => sql`instr(lower(${emailOf(x, actorEmail.name)}), ${asked}) > 0`],
  } satisfies LogFilters;
  const by = (index: string, key: (x: EventLogTable, value: SQL) => SQL) =>
    createLogList(log, { index, columns, filters, key });
  const isFirst = (_x: EventLogTable, value: SQL) => sql`${value} = 0`;
  return {
    // By the filter that leads to the fewest rows; `time` takes them as they come, and `all` does so without any filter,
    // so that it is counted in the index alone.
    lists: {
      event_id: by("event_log_event_id_unique", (x, value) => eq(x.event_id, value)),
      user_id: by(userIndex, (x, value) => eq(x.user_id, value)),
      event_type: by("event_log_type", (x, value) => eq(x.event_type, value)),
      time: by("event_log_company", isFirst),
      all: createLogList(log, { index: "event_log_company", columns, filters: {}, key: isFirst }),
    },
    /** one event of any company */
    find: statement({ id: nullable(log.id) }, (p) => q.select(columns(log)).from(log).where(eq(log.id, p.id))),
    /** when the oldest event of a company happened (unix ms) */
    oldest: statement({ company: integer }, (p) =>
      q
        .select({ oldest: sql`min(${log.created_at})`.mapWith(nullable(integer)) })
        .from(log)
        .where(eq(log.company_id, p.company)),
    ),
  };
}

// Goes with the login events of identity, which then are lists of log-list.store.ts.

/** Both statements of a list: its rows, newest first, one more than the page holds; and how many there are. */
type TextList = { rows: Statement; count: Statement };

// Parameters of every list: ?1 company (null: platform events), ?2 the values of the entry as JSON, ?3 from, ?4 until,
// ?5 and ?6 time and id of the cursor's row, ?7 and on the filters in their order; then, of the rows alone, how many and
// from where. A `$` in a filter is its parameter; null there means that it is not asked for.
const period = "x.created_at >= ?3 AND x.created_at < ?4 AND (x.created_at < ?5 OR x.id < ?6)";

/**
 * Rows of each value by an index that ends with the time, no more than the page needs, then merged: a list costs what it
 * shows, not what the log holds (CROSS JOIN keeps the values in front). `entry` matches a row x with a value k; other
 * filters are looked at row by row.
 */
export function listBy(index: string, entry: string, filters: readonly string[], columns = "e.*"): TextList {
  const source = `event_log x INDEXED BY ${index}`;
  const asked = filters.map((filter, place) => `(${filter.replaceAll("$", `?${place + 7}`)})`);
  const where = ["x.company_id IS ?1", entry, period, ...asked].join(" AND ");
  const [size, offset] = [`?${filters.length + 7}`, `?${filters.length + 8}`];
  return {
    rows: registered(
      `SELECT ${columns} FROM json_each(?2) k CROSS JOIN event_log e ON e.id IN
         (SELECT x.id FROM ${source} WHERE ${where} ORDER BY x.created_at DESC, x.id DESC LIMIT ${size} + ${offset})
       ORDER BY e.created_at DESC, e.id DESC LIMIT ${size} OFFSET ${offset}`,
    ),
    count: registered(
      `SELECT count(*) AS count FROM (SELECT 1 FROM json_each(?2) k CROSS JOIN ${source} ON ${where} LIMIT ${highestCount})`,
    ),
  };
}

/** What is read of a log: `keys` are values of the list's entry, `values` those of its filters, times unix ms. */
type TextQuery = {
  companyId: number | null;
  keys: readonly SqlValue[];
  filter: { created_after?: number | undefined; created_before?: number | undefined };
  values: readonly SqlValue[];
};

/** The reads of a page: its rows and, but behind a cursor, their number. */
export function logListReads(
  db: Db,
  list: TextList,
  { companyId, keys, filter, values }: TextQuery,
  page: LogPage,
): D1PreparedStatement[] {
  const { created_after: from = 0, created_before: until = Number.MAX_SAFE_INTEGER } = filter;
  const after = page.after ?? { created_at: Number.MAX_SAFE_INTEGER, id: 0 };
  const asked = [
    companyId,
    JSON.stringify(keys),
    from,
    Math.min(until, after.created_at + 1),
    after.created_at,
    after.id,
    ...values,
  ];
  return [
    list.rows.bind(db, ...asked, page.pageSize + 1, page.offset),
    ...(page.after ? [] : [list.count.bind(db, ...asked)]),
  ];
}
