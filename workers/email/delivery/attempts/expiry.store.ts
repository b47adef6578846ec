import { type SQL, sql } from "drizzle-orm";
import { eventColumns, eventKeys } from "../../../../db/email/conditions/event-log";
import { addEvent, ENDED, FAILED_RANK, isUnanswered } from "../../../../db/email/conditions/messages";
import { countMoves, isCounted } from "../../../../db/email/conditions/stats";
import type { NewEvent } from "../../../../db/email/rows";
import { event_log, messages } from "../../../../db/email/schema";
import type { Db } from "../../../kit/db/db";
import { integer, json, nullable } from "../../../kit/db/kind";
import { assign, inList, insertSelect, jsonEach } from "../../../kit/db/query";
import { toSlices } from "../../../kit/db/slices";
import { statement } from "../../../kit/db/statement";
import type { WebhooksContext } from "../../../kit/webhooks/context";
import { batchWithEvents } from "../../../kit/webhooks/event-store/new-event";
import { isExpired } from "./lease.store";

// Events and roll-up by the guard of the move, and then the move: a repeat finds nothing that the guard lets through.

const when = { now: integer, fence: nullable(integer) };
const some = { ids: json<readonly string[]>(), ...when };

const expired = (p: Parameters<typeof isExpired>[0] & { ids: SQL<readonly string[]> }) => {
  const asked = jsonEach(p.ids);
  return sql`from ${asked.from} cross join ${messages} on ${messages.id} = ${asked.value} where ${isExpired(p)}`;
};

const insertExpiredEvents = statement({ events: json<readonly NewEvent[]>(), ...when }, (p) => {
  const { from, item: event } = jsonEach(p.events);
  return insertSelect(
    event_log,
    eventColumns(event, messages, p.now),
    sql`from ${from} cross join ${messages} on ${messages.id} = ${event.id} where ${isExpired(p)} on conflict do nothing`,
  );
});

/** As endOfWaiting of the policy. */
const ending = sql`case when ${messages.expires_at} is null or ${isUnanswered} then 'failed' else 'expired' end`;

const countExpired = statement(some, (p) =>
  countMoves(["expired", "failed"], ending, sql`${expired(p)} and ${isCounted}`),
);

const updateExpired = statement(some, (p) => {
  const change = assign(messages, {
    ...ENDED,
    status: ending,
    last_error_code: sql`case when ${messages.expires_at} is null then ${messages.last_error_code}
      when ${isUnanswered} then 'delivery_unknown' else 'expired' end`,
    rank: sql`case when ${ending} = 'expired' then ${messages.rank} else max(${messages.rank}, ${FAILED_RANK}) end`,
    events: addEvent(ending, p.now),
  });
  return sql`update ${messages} set ${change} where ${inList(messages.id, p.ids)} and ${isExpired(p)}`;
});

/**
 * Ends the messages (32 hex) as far as they still wait and their life is over, or their wait for credentials, paused or not,
 * with their events.
 * `now` in unix ms; `fence`: of a sweep's run.
 */
export async function expireMessages(
  context: WebhooksContext,
  db: Db,
  ids: readonly string[],
  events: readonly NewEvent[],
  { now, fence }: { now: number; fence: number | null },
): Promise<void> {
  const asked = { ids, now, fence };
  const statements = {
    events: toSlices(events).map((slice) => insertExpiredEvents({ events: slice, now, fence })),
    counted: countExpired(asked),
    expired: updateExpired(asked),
  };
  await batchWithEvents(context, db, statements, eventKeys(events));
}
