import type { event_log } from "../../../db/identity/schema";
import { type Statement, sql } from "../../kit/db";
import { highestCount } from "../../kit/http/log-page";

export type EventRow = typeof event_log.$inferSelect;

/** Both statements of a list: its rows, newest first, one more than the page holds; and how many there are. */
export type LogList = { rows: Statement; count: Statement };

// Parameters of every list: ?1 company (null: platform events), ?2 the values of the entry as JSON, ?3 from, ?4 until,
// ?5 and ?6 time and id of the cursor's row, ?7 and on the filters in their order; then, of the rows alone, how many and
// from where. A `$` in a filter is its parameter; null there means that it is not asked for.
const period = "x.created_at >= ?3 AND x.created_at < ?4 AND (x.created_at < ?5 OR x.id < ?6)";

/**
 * Rows of each value by an index that ends with the time, no more than the page needs, then merged: a list costs what it
 * shows, not what the log holds (CROSS JOIN keeps the values in front). `entry` matches a row x with a value k; other filters are looked at row by row.
 */
function listBy(index: string, entry: string, filters: string[]): LogList {
  const source = `event_log x INDEXED BY ${index}`;
  const asked = filters.map((filter, place) => `(${filter.replaceAll("$", `?${place + 7}`)})`);
  const where = ["x.company_id IS ?1", entry, period, ...asked].join(" AND ");
  const [size, offset] = [`?${filters.length + 7}`, `?${filters.length + 8}`];
  return {
    rows: sql(
      `SELECT e.* FROM json_each(?2) k CROSS JOIN event_log e ON e.id IN
         (SELECT x.id FROM ${source} WHERE ${where} ORDER BY x.created_at DESC, x.id DESC LIMIT ${size} + ${offset})
       ORDER BY e.created_at DESC, e.id DESC LIMIT ${size} OFFSET ${offset}`,
    ),
    count: sql(
      `SELECT count(*) AS count FROM (SELECT 1 FROM json_each(?2) k CROSS JOIN ${source} ON ${where} LIMIT ${highestCount})`,
    ),
  };
}

const eventFilters = [
  "$ IS NULL OR x.event_type IN (SELECT value FROM json_each($))",
  "$ IS NULL OR x.user_id = $",
  "$ IS NULL OR x.event_id = $",
  "$ IS NULL OR instr(lower(x.user_email), $) > 0",
];

/**
 * Lists of events by the filter that leads to the fewest rows; `time` takes them as they come, and `all` does so without
 * any filter, so that it is counted in the index alone.
 */
export const eventLists = {
  event_id: listBy("event_log_event_id_unique", "x.event_id = k.value", eventFilters),
  user_id: listBy("event_log_user", "x.user_id = k.value", eventFilters),
  event_type: listBy("event_log_type", "x.event_type = k.value", eventFilters),
  time: listBy("event_log_company", "k.value = 0", eventFilters),
  all: listBy("event_log_company", "k.value = 0", []),
};

const loginColumns = ["outcome", "provider", "user_id", "is_staff_at_event", "country", "city", "timezone"];
const loginFilters = loginColumns.map((column) => `$ IS NULL OR x.${column} = $`);

const loginsBy = (index: string, column: string) =>
  listBy(index, `x.${column} = k.value AND x.outcome IS NOT NULL`, loginFilters);

/** Lists of login events, each by the index of its filter (details 11); without one, by both outcomes. */
export const loginLists = {
  user_id: loginsBy("event_log_user", "user_id"),
  city: loginsBy("event_log_city", "city"),
  timezone: loginsBy("event_log_timezone", "timezone"),
  country: loginsBy("event_log_country", "country"),
  is_staff_at_event: loginsBy("event_log_staff", "is_staff_at_event"),
  provider: loginsBy("event_log_provider", "provider"),
  outcome: loginsBy("event_log_outcome", "outcome"),
};

/** (id): one event of any company. */
export const findEvent = sql("SELECT * FROM event_log WHERE id = ?1");

/** (company): when its oldest event happened. */
export const findOldestEvent = sql("SELECT min(created_at) AS oldest FROM event_log WHERE company_id = ?1");
