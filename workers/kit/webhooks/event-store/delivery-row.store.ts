import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { type action_deliveries, type EventLogTable, sealed_deliveries } from "../../../../db/kit/webhooks";
import { type InsertValues, insertSelect } from "../../db/query";
import { eventIdOf } from "./event-log.store";

/** The time that a row waits for its queue message before a retry run takes it. */
const FIRST_DUE_MS = 30_000;

/** Returns SQL for a time-ordered UUID of version 7, so that deliveries append to their index. */
const uuidAt = (
  ms: SQLWrapper,
) => sql`printf('%08x-%04x-7%03x-8%03x-%012x', ${ms} / 65536, ${ms} % 65536, random() & 4095,
  random() & 63, random() & 281474976710655)`;

/** Returns the insert of an event's delivery, with the event's subject. */
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

/** Values of a new delivery: the database makes its id, and it becomes due if its queue message is lost. */
export const newDelivery = (now: SQLWrapper) => ({ id: uuidAt(now), now, due_at: sql`${now} + ${FIRST_DUE_MS}` });
