import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { event_log } from "../../../db/identity/schema";
import { json } from "../../kit/db/kind";
import { q } from "../../kit/db/query";
import { type RowOfStatement, statement } from "../../kit/db/statement";
import { createLogList, type LogFilters } from "../../kit/webhooks/event-log/log-list.store";

type Log = typeof event_log;

const columns = (e: Log) => {
  const { id, company_id, created_at, user_id, user_email, outcome, provider, is_staff_at_event, country, city } = e;
  const shown = {
    id,
    company_id,
    created_at,
    user_id,
    user_email,
    outcome,
    provider,
    is_staff_at_event,
    country,
    city,
  };
  return { ...shown, data: sql`${e.data}`.mapWith(json<Record<string, unknown>>()) };
};

const FILTERED = ["outcome", "provider", "user_id", "is_staff_at_event", "country", "city", "timezone"] as const;
type Filtered = (typeof FILTERED)[number];

const filters = Object.fromEntries(
  FILTERED.map((column) => [column, [event_log[column], (x: Log, asked: SQL) => eq(x[column], asked)]]),
) as unknown as { [K in Filtered]: readonly [Log[K], (x: Log, asked: SQL) => SQL] };

const loginsBy = (index: string, column: Filtered) =>
  createLogList(event_log, {
    index,
    columns,
    key: (x, value) => sql`${x[column]} = ${value} and ${isNotNull(x.outcome)}`,
    filters: filters satisfies LogFilters<Log>,
  });

/** Lists of login events, each by the index of its filter; without one, by both outcomes. */
export const loginLists = {
  user_id: loginsBy("event_log_user", "user_id"),
  city: loginsBy("event_log_city", "city"),
  timezone: loginsBy("event_log_timezone", "timezone"),
  country: loginsBy("event_log_country", "country"),
  is_staff_at_event: loginsBy("event_log_staff", "is_staff_at_event"),
  provider: loginsBy("event_log_provider", "provider"),
  outcome: loginsBy("event_log_outcome", "outcome"),
};

/** One login event of any company. */
export const findLoginEvent = statement({ id: event_log.id }, (p) =>
  q
    .select(columns(event_log))
    .from(event_log)
    .where(and(eq(event_log.id, p.id), isNotNull(event_log.outcome))),
);

export type LoginEventRow = RowOfStatement<typeof findLoginEvent>;
