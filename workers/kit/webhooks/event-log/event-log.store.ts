import { type Db, type SqlValue, type Statement, sql } from "../../db";
import { highestCount, type LogPage } from "../../http/paging/log-page";

/** A row of an event log as the API shows it; a service's own log holds more. */
export type EventRow = {
  id: number;
  event_id: string;
  company_id: number | null;
  event_type: string;
  user_id: number | null;
  user_email: string | null;
  data: string;
  created_at: number;
};

/** Both statements of a list: its rows, newest first, one more than the page holds; and how many there are. */
export type LogList = { rows: Statement; count: Statement };

// Parameters of every list: ?1 company (null: platform events), ?2 the values of the entry as JSON, ?3 from, ?4 until,
// ?5 and ?6 time and id of the cursor's row, ?7 and on the filters in their order; then, of the rows alone, how many and
// from where. A `$` in a filter is its parameter; null there means that it is not asked for.
const period = "x.created_at >= ?3 AND x.created_at < ?4 AND (x.created_at < ?5 OR x.id < ?6)";

/**
 * Rows of each value by an index that ends with the time, no more than the page needs, then merged: a list costs what it
 * shows, not what the log holds (CROSS JOIN keeps the values in front). `entry` matches a row x with a value k; other
 * filters are looked at row by row.
 */
export function listBy(index: string, entry: string, filters: readonly string[], columns = "e.*"): LogList {
  const source = `event_log x INDEXED BY ${index}`;
  const asked = filters.map((filter, place) => `(${filter.replaceAll("$", `?${place + 7}`)})`);
  const where = ["x.company_id IS ?1", entry, period, ...asked].join(" AND ");
  const [size, offset] = [`?${filters.length + 7}`, `?${filters.length + 8}`];
  return {
    rows: sql(
      `SELECT ${columns} FROM json_each(?2) k CROSS JOIN event_log e ON e.id IN
         (SELECT x.id FROM ${source} WHERE ${where} ORDER BY x.created_at DESC, x.id DESC LIMIT ${size} + ${offset})
       ORDER BY e.created_at DESC, e.id DESC LIMIT ${size} OFFSET ${offset}`,
    ),
    count: sql(
      `SELECT count(*) AS count FROM (SELECT 1 FROM json_each(?2) k CROSS JOIN ${source} ON ${where} LIMIT ${highestCount})`,
    ),
  };
}

/** What is read of a log: `keys` are values of the list's entry, `values` those of its filters, times unix ms. */
export type LogQuery = {
  companyId: number | null;
  keys: readonly SqlValue[];
  filter: { created_after?: number | undefined; created_before?: number | undefined };
  values: readonly SqlValue[];
};

/** The reads of a page: its rows and, but behind a cursor, their number. */
export function logListReads(
  db: Db,
  list: LogList,
  { companyId, keys, filter, values }: LogQuery,
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

/** The reads of a service's event log. */
export type EventLog = {
  lists: Record<"event_id" | "user_id" | "event_type" | "time" | "all", LogList>;
  /** (id): one event of any company */
  find: Statement;
  /** (company): when its oldest event happened */
  oldest: Statement;
};

/**
 * Registers the reads of an event log (details of Document 3, 4.2 and 4.9). `emailColumn` holds the acting user's address;
 * `userIndex` leads from a user to their events, where the log has one. Call at module level.
 */
export function createEventLog(options: { emailColumn: "actor_email" | "user_email"; userIndex?: string }): EventLog {
  const { emailColumn, userIndex } = options;
  const columns = `e.id, e.event_id, e.company_id, e.event_type, e.user_id, e.${emailColumn} AS user_email, e.data, e.created_at`;
  const filters = [
    "$ IS NULL OR x.event_type IN (SELECT value FROM json_each($))",
    "$ IS NULL OR x.user_id = $",
    "$ IS NULL OR x.event_id = $",
    `$ IS NULL OR instr(lower(x.${emailColumn}), $) > 0`,
  ];
  const by = (index: string, entry: string, asked = filters) => listBy(index, entry, asked, columns);
  return {
    // By the filter that leads to the fewest rows; `time` takes them as they come, and `all` does so without any filter,
    // so that it is counted in the index alone.
    lists: {
      event_id: by("event_log_event_id_unique", "x.event_id = k.value"),
      user_id: by(userIndex ?? "event_log_company", "x.user_id = k.value"),
      event_type: by("event_log_type", "x.event_type = k.value"),
      time: by("event_log_company", "k.value = 0"),
      all: by("event_log_company", "k.value = 0", []),
    },
    find: sql(`SELECT ${columns} FROM event_log e WHERE e.id = ?1`),
    oldest: sql("SELECT min(created_at) AS oldest FROM event_log WHERE company_id = ?1"),
  };
}
