import { sql } from "../../kit/db";
import type { ActionsContext } from "../../kit/webhooks/context";
import { batchWithEvents } from "../../kit/webhooks/event-log/new-event";
import { expiredEvents, type NewEvent } from "./event.store";
import { IS_EXPIRED } from "./lease.store";

const EXPIRED_BY_ID = `FROM json_each(?1) j CROSS JOIN messages m ON m.id = j.value WHERE ${IS_EXPIRED}`;

const noteExpired = sql(`INSERT INTO message_events (company_id, message_id, type, at)
SELECT m.company_id, m.id, 'expired', ?2 ${EXPIRED_BY_ID}`);

const countExpired = sql(`INSERT INTO stats_days (company_id, day, lane, event_type, queued, expired)
SELECT m.company_id, date(m.accepted_at / 1000, 'unixepoch'), m.lane, m.event_type, -count(*), count(*) ${EXPIRED_BY_ID}
GROUP BY 1, 2, 3, 4
ON CONFLICT (company_id, day, lane, event_type) DO UPDATE
SET queued = queued + excluded.queued, expired = expired + excluded.expired`);

const moveExpired = sql(`UPDATE messages AS m SET status = 'expired', variables_enc = NULL, last_error_code = 'expired'
WHERE m.id IN (SELECT value FROM json_each(?1)) AND ${IS_EXPIRED}`);

/**
 * Expires the messages (32 hex) as far as they still wait and their life is over, paused or not, with their events.
 * `fence`: of a sweep's run.
 */
export async function expireMessages(
  context: ActionsContext,
  ids: readonly string[],
  events: readonly NewEvent[],
  { now, fence }: { now: number; fence: number | null },
): Promise<void> {
  const { db } = context;
  const list = JSON.stringify(ids);
  const statements = [noteExpired, countExpired, moveExpired].map((move) => move.bind(db, list, now, fence));
  const eventIds = events.map(({ event_id }) => event_id);
  await batchWithEvents(context, [...expiredEvents(db, events, now, fence), ...statements], eventIds);
}
