import { event_log } from "../../../db/identity/schema";
import { sql } from "../../kit/db";
import { createEventLog, listBy } from "../../kit/webhooks/event-log/event-log.store";

export type EventRow = typeof event_log.$inferSelect;

/** The reads of the event log that Actions mount. */
export const eventLog = createEventLog(event_log, { actorEmail: event_log.user_email, userIndex: "event_log_user" });

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
