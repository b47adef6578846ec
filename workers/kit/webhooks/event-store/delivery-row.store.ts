import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { type action_deliveries, type EventLogTable, sealed_deliveries } from "../../../../db/kit/webhooks";
import { type InsertValues, insertSelect } from "../../db/query";
import { eventIdOf } from "./event-log.store";

/** How long a row waits for its queue message before a retry run claims it. */
const FIRST_DUE_MS = 30_000;

/** Returns SQL for a time-ordered UUID (version 7), so that new deliveries are appended to their index. */
const uuidAt = (
  ms: SQLWrapper,
) => sql`printf('%08x-%04x-7%03x-8%03x-%012x', ${ms} / 65536, ${ms} % 65536, random() & 4095,
  random() & 63, random() & 281474976710655)`;

/** Returns the INSERT of an event's delivery. Copies the HMAC of the event's subject if the log has one. */
export function insertDelivery(
  log: EventLogTable & { subject_hmac?: AnySQLiteColumn },
  delivery: Pick<
    InsertValues<typeof action_deliveries>,
    "id" | "kind" | "rule_id" | "rule_name" | "host" | "body" | "due_at"
  > & {
    now: SQLWrapper;
  },
  rest: SQL,
): SQL {
  const { now, ...columns } = delivery;
  return insertSelect(
    sealed_deliveries,
    {
      ...columns,
      company_id: log.company_id,
      event_id: eventIdOf(log),
      event_type: log.event_type,
      status: "pending",
      created_at: now,
      updated_at: now,
      ...(log.subject_hmac === undefined ? {} : { subject_hmac: log.subject_hmac }),
    },
    rest,
  );
}

/**
 * Values of a new delivery. The database creates its id. If its queue message is lost, a retry run claims it after
 * `due_at`.
 */
export const newDelivery = (now: SQLWrapper) => ({ id: uuidAt(now), now, due_at: sql`${now} + ${FIRST_DUE_MS}` });
