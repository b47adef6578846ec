import { type SQL, sql } from "drizzle-orm";
import { isUnneededBy } from "../../../../db/email/conditions/direct";
import { eventColumns, eventKeys } from "../../../../db/email/conditions/event-log";
import { addEvent, ENDED, FAILED_RANK, isUnanswered } from "../../../../db/email/conditions/messages";
import { countMoves, isCounted } from "../../../../db/email/conditions/stats";
import type { NewEvent } from "../../../../db/email/rows";
import { direct_contents, event_log, messages } from "../../../../db/email/schema";
import type { Db } from "../../../kit/db/db";
import { integer, json, nullable } from "../../../kit/db/kind";
import { assignments, insertSelect, isInList, jsonEach, queryBuilder } from "../../../kit/db/query";
import { toSlices } from "../../../kit/db/slices";
import { statement } from "../../../kit/db/statement";
import type { WebhooksContext } from "../../../kit/webhooks/context";
import { batchWithEvents } from "../../../kit/webhooks/event-store/new-event";
import { isExpired } from "./lease.store";

// The statements for events and roll-ups use the condition of the status update and run before it, so a repeated batch
// matches no row.

const runParameters = { now: integer, fence: nullable(integer) };
const idParameters = { ids: json<readonly string[]>(), ...runParameters };

const expired = (p: Parameters<typeof isExpired>[0] & { ids: SQL<readonly string[]> }) => {
  const idList = jsonEach(p.ids);
  return sql`from ${idList.from} cross join ${messages} on ${messages.id} = ${idList.value} where ${isExpired(p)}`;
};

const insertExpiredEvents = statement({ events: json<readonly NewEvent[]>(), ...runParameters }, (p) => {
  const { from, item: event } = jsonEach(p.events);
  return insertSelect(
    event_log,
    eventColumns(event, messages, p.now),
    sql`from ${from} cross join ${messages} on ${messages.id} = ${event.id} where ${isExpired(p)} on conflict do nothing`,
  );
});

/** The final status of the message, by the rule of finalStateOfWaiting in policy.ts. */
const ending = sql`case when ${messages.expires_at} is null or ${isUnanswered} then 'failed' else 'expired' end`;

const countExpired = statement(idParameters, (p) =>
  countMoves(["expired", "failed"], ending, sql`${expired(p)} and ${isCounted}`),
);

const updateExpired = statement(idParameters, (p) => {
  const change = assignments(messages, {
    ...ENDED,
    status: ending,
    last_error_code: sql`case when ${messages.expires_at} is null then ${messages.last_error_code}
      when ${isUnanswered} then 'delivery_unknown' else 'expired' end`,
    rank: sql`case when ${ending} = 'expired' then ${messages.rank} else max(${messages.rank}, ${FAILED_RANK}) end`,
    events: addEvent(ending, p.now),
  });
  return sql`update ${messages} set ${change} where ${isInList(messages.id, p.ids)} and ${isExpired(p)}`;
});

// Runs after the statement that ends the messages, in the same batch.
const deleteContents = statement({ ids: json<readonly string[]>() }, (p) => {
  const id = jsonEach(p.ids);
  const from = sql`from ${id.from} cross join ${messages} on ${messages.id} = ${id.value}`;
  return queryBuilder.delete(direct_contents).where(isUnneededBy(from));
});

/**
 * Ends the waiting messages (ids of 32 hex characters) that have expired or waited too long for credentials, and inserts their
 * events. A paused lane does not prevent this. `now` is in unix ms. `fence` is the number of the job lock that a sweep run
 * holds; it is null when a delivery calls this.
 */
export async function expireMessages(
  context: WebhooksContext,
  db: Db,
  ids: readonly string[],
  events: readonly NewEvent[],
  { now, fence }: { now: number; fence: number | null },
): Promise<void> {
  const values = { ids, now, fence };
  const statements = {
    events: toSlices(events).map((slice) => insertExpiredEvents({ events: slice, now, fence })),
    counted: countExpired(values),
    expired: updateExpired(values),
    contents: deleteContents({ ids }),
  };
  await batchWithEvents(context, db, statements, eventKeys(events));
}
