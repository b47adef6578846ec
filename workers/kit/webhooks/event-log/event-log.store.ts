import { eq, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { EventLogTable } from "../../../../db/kit/webhooks";
import { integer, json, nullable, text } from "../../db/kind";
import { all, inList, q, type RowOf } from "../../db/query";
import { statement } from "../../db/statement";
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
