import { type Db, sql } from "../../kit/db";
import { toSlices } from "../../kit/db/slices";
import { HELD, IS_EXPIRED } from "./lease.store";

/**
 * An event of a message (32 hex) as it is stored: data and envelope are sealed. `token` and `fence` are those of the result
 * that it tells of.
 */
export type NewEvent = {
  id: string;
  event_id: string;
  type: string;
  data: string;
  envelope: string;
  token?: string;
  fence?: number | null;
};

/** What an erasure leaves of an envelope that cannot be masked. */
export const ERASED_BODY = "{}";

// ?1 events r as JSON, ?2 their time; m their messages. They stand before the statement that ends the guard, so that a
// repeat, or a result whose lease is lost, writes none.
const insertOf = (source: string) =>
  sql(`INSERT INTO event_log (event_id, company_id, event_type, data, envelope, subject_hmac, client_id, created_at)
SELECT r.value ->> 'event_id', m.company_id, r.value ->> 'type', r.value ->> 'data', r.value ->> 'envelope', m.email_hmac,
  m.client_id, ?2 ${source} ON CONFLICT DO NOTHING`);

const insertAccepted = insertOf("FROM json_each(?1) r CROSS JOIN messages m ON m.id = r.value ->> 'id' WHERE true");
const insertHeld = insertOf(HELD);
const insertExpired = insertOf(
  `FROM json_each(?1) r CROSS JOIN messages m ON m.id = r.value ->> 'id' WHERE ${IS_EXPIRED}`,
);

/** Events of messages that the same batch has stored. */
export function acceptedEvents(db: Db, events: readonly NewEvent[], now: number): D1PreparedStatement[] {
  return toSlices(events).map((slice) => insertAccepted.bind(db, JSON.stringify(slice), now));
}

/** Events of results, as far as their leases hold. */
export function heldEvents(db: Db, events: readonly NewEvent[], now: number): D1PreparedStatement[] {
  return toSlices(events).map((slice) => insertHeld.bind(db, JSON.stringify(slice), now));
}

/** Events of messages whose life is over. `fence`: of a sweep's run. */
export function expiredEvents(
  db: Db,
  events: readonly NewEvent[],
  now: number,
  fence: number | null,
): D1PreparedStatement[] {
  return toSlices(events).map((slice) => insertExpired.bind(db, JSON.stringify(slice), now, fence));
}
