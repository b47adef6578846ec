import { and, eq, gt, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import { event_log } from "../../../../db/identity/schema";
import { json, text } from "../../../kit/db/kind";
import { queryBuilder } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";
import { requestFilter } from "../../../kit/webhooks/event-store/event-log.store";
import { createFilteredList, type LogFilters } from "../../../kit/webhooks/event-store/log-list.store";

type Log = typeof event_log;

const columns = (log: Log) => {
  const { id, company_id, user_id, user_email, outcome, provider, is_staff_at_event, country, city } = log;
  const shown = {
    id,
    company_id,
    user_id,
    user_email,
    outcome,
    provider,
    is_staff_at_event,
    country,
    city,
  };
  return { ...shown, data: sql`${log.data}`.mapWith(json<Record<string, unknown>>()) };
};

const FILTERED = ["outcome", "provider", "user_id", "is_staff_at_event", "country", "city", "timezone"] as const;
type Filtered = (typeof FILTERED)[number];

const filters = {
  ...(Object.fromEntries(
    FILTERED.map((column) => [column, [event_log[column], (log: Log, value: SQL) => eq(log[column], value)]]),
  ) as unknown as { [K in Filtered]: readonly [Log[K], (log: Log, filter: SQL) => SQL] }),
  request: requestFilter,
};

const isLogin = (log: Log) => isNotNull(log.outcome);

/** The lists of login events: all of a company, or those of one user. */
export const loginLists = {
  all: createFilteredList(event_log, columns, filters satisfies LogFilters<Log>, { always: isLogin }),
  ofUser: createFilteredList(event_log, columns, filters satisfies LogFilters<Log>, {
    always: isLogin,
    userIndex: "event_log_user",
  }),
};

/** Selects the first login event of a company with an id between two bounds. */
export const findLoginEvent = statement({ company: event_log.company_id, above: text, below: text }, (p) => {
  const { company_id, id } = event_log;
  return queryBuilder
    .select(columns(event_log))
    .from(event_log)
    .where(and(eq(company_id, p.company), gt(id, p.above), lt(id, p.below), isLogin(event_log)))
    .orderBy(id)
    .limit(1);
});

export type LoginEventRow = RowOfStatement<typeof findLoginEvent>;
