import { eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { type EventLogTable, isNotAmong } from "../../../../db/kit/webhooks";
import { integer, json, nullable, text } from "../../db/kind";
import { allColumns, isInList, type SelectedRow, selectRows } from "../../db/query";
import { statement } from "../../db/statement";
import {
  createEventFinder,
  createExactList,
  createFilteredList,
  createTypeList,
  type LogFilters,
} from "./log-list.store";

/** The statements that read a service's event log. */
export type EventLog = ReturnType<typeof createEventLog>;

/** A row of an event log as the API needs it; the log of a service has more columns. */
export type EventRow = SelectedRow<ReturnType<typeof listColumns>>;

/** Returns the public id of an event: `event_id` in rows from before time-ordered ids, else the id of the row. */
export const eventIdOf = ({ event_id, id }: Record<"event_id" | "id", SQLWrapper>): SQL<string> =>
  sql`coalesce(${event_id}, ${id})`.mapWith(text);

/** Returns the columns of an event as the API needs them. The actor's address is in the column `actorEmail`. */
const listColumns = (log: EventLogTable, actorEmail: string) => ({
  id: log.id,
  event_id: eventIdOf(log),
  company_id: log.company_id,
  event_type: log.event_type,
  user_id: log.user_id,
  user_email: emailOf(log, actorEmail),
  data: log.data,
  /** the envelope when the row's data is only in the envelope, else null */
  sealed_envelope: sql`iif(${log.data} = '', ${log.envelope}, null)`.mapWith(nullable(text)),
  created_at: log.created_at,
});

const emailOf = (log: EventLogTable, actorEmail: string) => {
  const columns: Record<string, AnySQLiteColumn> = allColumns(log);
  return sql`${columns[actorEmail]}`.mapWith(nullable(text));
};

/** The filter of the events that a request wrote. Its value is the requestHash of the request id. */
export const requestFilter = [text, ({ id }, hash) => sql`substr(${id}, -10) = ${hash}`] satisfies LogFilters[string];

/**
 * Registers the statements that read an event log; call it at module level. `actorEmail` is the column with the acting
 * user's address. `frequentTypes` are the types that the log's index of types omits. `userIndex` is the index from a
 * user to their events, if the log has one. `hasRequestIds`: the ids of the events are those of uuidOfRequest.
 */
export function createEventLog(
  log: EventLogTable,
  spec: { actorEmail: AnySQLiteColumn; frequentTypes: readonly string[]; userIndex?: string; hasRequestIds?: boolean },
) {
  const { actorEmail, frequentTypes, userIndex, hasRequestIds = false } = spec;
  const columns = (table: EventLogTable) => listColumns(table, actorEmail.name);
  const commonFilters = {
    types: [json<string[]>(), (event, filter) => isInList(event.event_type, filter as SQL<string[]>)],
    user_id: [integer, (event, filter) => eq(event.user_id, filter)],
    user: [text, (event, filter) => sql`instr(lower(${emailOf(event, actorEmail.name)}), ${filter}) > 0`],
  } satisfies LogFilters;
  const byRequest = { request: requestFilter } satisfies LogFilters;
  // The value of a filter that the log does not have is ignored.
  const filters = { ...commonFilters, ...(hasRequestIds ? byRequest : {}) } as typeof commonFilters & typeof byRequest;
  return {
    frequentTypes,
    hasRequestIds,
    lists: {
      all: createExactList(log, columns),
      types: createTypeList(log, columns, (event) => sql`${event.event_type} ${isNotAmong(frequentTypes)}`),
      filtered: createFilteredList(log, columns, filters),
      event: createEventFinder(log, columns, filters),
      ofUser:
        userIndex === undefined
          ? null
          : {
              all: createExactList(log, columns, userIndex),
              filtered: createFilteredList(log, columns, filters, { userIndex }),
            },
    },
    /** finds the first event of a company with an id between two texts */
    find: statement({ company: integer, above: text, below: text }, (p) =>
      selectRows(
        columns(log),
        (selected) => sql`select ${selected} from ${log} where ${log.company_id} = ${p.company}
          and ${log.id} > ${p.above} and ${log.id} < ${p.below} order by ${log.id} limit 1`,
      ),
    ),
    /** finds the id of a company's oldest event */
    oldest: statement({ company: integer }, (p) =>
      selectRows(
        { oldest: log.id },
        (selected) =>
          sql`select ${selected} from ${log} where ${log.company_id} = ${p.company} order by ${log.id} limit 1`,
      ),
    ),
  };
}
