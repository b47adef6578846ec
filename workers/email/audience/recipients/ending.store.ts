import { type eq, sql } from "drizzle-orm";
import { eventColumns } from "../../../../db/email/conditions/event-log";
import { addEvent, ENDED, isWaiting } from "../../../../db/email/conditions/messages";
import { countMoves, isCounted } from "../../../../db/email/conditions/stats";
import type { BroadcastRow, NewEvent } from "../../../../db/email/rows";
import { broadcast_recipients, broadcasts, event_log, messages } from "../../../../db/email/schema";
import type { Db } from "../../../kit/db/db";
import { boolean, integer, json, nullable, text } from "../../../kit/db/kind";
import {
  assignments,
  indexedBy,
  insertSelect,
  isInList,
  jsonEach,
  queryBuilder,
  selectRows,
} from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";
import type { WebhooksContext } from "../../../kit/webhooks/context";
import { batchWithEvents } from "../../../kit/webhooks/event-store/new-event";
import { isHeld, type Lease, leaseParameters } from "./step.store";

/** Maximum number of recipients that one statement deletes, and of messages that one statement reads to cancel those that wait. */
const DELETE_SIZE = 2000;
const SCAN_SIZE = 1000;

const { id } = broadcasts;
const recipient = broadcast_recipients;

const deleteRecipients = statement({ ...leaseParameters, status: nullable(text), size: integer }, (p) =>
  queryBuilder.delete(recipient).where(
    sql`(${recipient.broadcast_id}, ${recipient.email_hmac}) in (select ${recipient.broadcast_id}, ${recipient.email_hmac} from ${recipient}
      where ${recipient.broadcast_id} = (select ${id} from ${broadcasts} where ${isHeld(p)})
        and (${p.status} is null or ${recipient.status} = ${p.status}) limit ${p.size})`,
  ),
);

/**
 * Deletes at most 2,000 recipients of a broadcast, of one status or of all (null). Returns whether more may be left. Nothing is
 * deleted when the step has lost the broadcast.
 */
export async function deleteSomeRecipients(db: Db, lease: Lease, status: "pending" | null): Promise<boolean> {
  const { changes } = await db.run(deleteRecipients({ ...lease, status, size: DELETE_SIZE }));
  return changes >= DELETE_SIZE;
}

// Reads a bounded part of the index, whose rows contain every column but the status.
const scanMessages = statement(
  {
    companyId: messages.company_id,
    templateKey: messages.template_key,
    from: integer,
    after: messages.id,
    until: integer,
    limit: integer,
  },
  (p) =>
    selectRows(
      {
        id: messages.id,
        accepted_at: messages.accepted_at,
        isWaiting: sql`(${messages.template_key} = ${p.templateKey} and ${isWaiting})`.mapWith(boolean),
      },
      (columns) => sql`select ${columns} from ${indexedBy(messages, "messages_company")}
        where ${messages.company_id} = ${p.companyId} and (${messages.accepted_at}, ${messages.id}) > (${p.from}, ${p.after})
          and ${messages.accepted_at} <= ${p.until}
        order by ${messages.accepted_at}, ${messages.id} limit ${p.limit}`,
    ),
);

const ids = json<readonly string[]>();
const waitingOf = (list: Parameters<typeof isInList>[1], broadcastId: Parameters<typeof eq>[1]) => {
  const idList = jsonEach(list as never, "m");
  return sql`from ${idList.from} cross join ${messages} on ${messages.id} = ${idList.value}
    where ${messages.broadcast_id} = ${broadcastId} and ${isWaiting}`;
};

const countCancelled = statement({ ids, id: messages.broadcast_id }, (p) =>
  countMoves(["cancelled"], sql`'cancelled'`, sql`${waitingOf(p.ids, p.id)} and ${isCounted}`),
);

const cancelWaiting = statement({ ids, id: messages.broadcast_id, now: integer }, (p) => {
  const change = assignments(messages, { ...ENDED, status: "cancelled", events: addEvent("cancelled", p.now) });
  return sql`update ${messages} set ${change} where ${isInList(messages.id, p.ids)} and ${messages.broadcast_id} = ${p.id} and ${isWaiting}`;
});

const moveOn = statement({ ...leaseParameters, next: broadcasts.cursor }, (p) => {
  const change = assignments(broadcasts, { cursor: p.next });
  return sql`update ${broadcasts} set ${change} where ${isHeld(p)}`;
});

/** A position in the messages of a company. */
export type MessagePosition = { accepted_at: number; id: string };

/** The part of the messages of a company that a cancellation reads next. `until` is in unix ms. */
export type MessageRange = { after: MessagePosition; until: number };

/**
 * Cancels the waiting messages of a cancelled broadcast among the next 1,000 messages of its company. Returns the position of the
 * last one, or null at the end of the range.
 */
export async function cancelSomeMessages(
  db: Db,
  { id, company_id, template_key }: BroadcastRow,
  { after, until }: MessageRange,
  now: number,
): Promise<MessagePosition | null> {
  const scanned = await db.all(
    scanMessages({
      companyId: company_id,
      templateKey: template_key,
      from: after.accepted_at,
      after: after.id,
      until,
      limit: SCAN_SIZE,
    }),
  );
  const found = scanned.flatMap((message) => (message.isWaiting ? [message.id] : []));
  if (found.length > 0) {
    await db.batch({ counted: countCancelled({ ids: found, id }), cancelled: cancelWaiting({ ids: found, id, now }) });
  }
  return scanned.length < SCAN_SIZE ? null : (scanned.at(-1) ?? null);
}

/** Stores the position of a cancellation. Returns false when the step has lost the broadcast. */
export async function storePosition(db: Db, lease: Lease, next: string): Promise<boolean> {
  return (await db.run(moveOn({ ...lease, next }))).changes > 0;
}

const markFailing = statement({ ...leaseParameters, code: broadcasts.last_error_code }, (p) => {
  const change = assignments(broadcasts, { last_error_code: p.code, bearer_enc: null });
  return sql`update ${broadcasts} set ${change} where ${isHeld(p)}`;
});

/** Stores why a broadcast fails, and erases its token. A step that is repeated then continues to remove the recipients. */
export async function storeFailure(db: Db, lease: Lease, code: string): Promise<boolean> {
  return (await db.run(markFailing({ ...lease, code }))).changes > 0;
}

const { id: event_id, event_type: type, data, envelope } = event_log;

const insertEvent = statement({ ...leaseParameters, event_id, type, data, envelope, now: integer }, (p) =>
  insertSelect(
    event_log,
    eventColumns(p, { company_id: broadcasts.company_id, email_hmac: sql`null` }, p.now),
    sql`from ${broadcasts} where ${isHeld(p)} on conflict do nothing`,
  ),
);

/** The event of the end of a broadcast. */
export type EndEvent = Pick<NewEvent, "event_id" | "type" | "data" | "envelope">;

/** The position of a broadcast that has ended. Only the removal of its skipped recipients follows. */
export const ENDED_POSITION = "ended";

const RELEASED = {
  step_token: null,
  step_until: null,
  failed_steps: 0,
  bearer_enc: null,
  bearer_expires_at: null,
} as const;

const moveToSent = statement({ ...leaseParameters, now: integer, purgeAt: integer }, (p) => {
  const change = assignments(broadcasts, {
    ...RELEASED,
    state: "sent",
    cursor: ENDED_POSITION,
    sent_at: p.now,
    updated_at: p.now,
    next_step_at: p.purgeAt,
  });
  return sql`update ${broadcasts} set ${change} where ${isHeld(p)} and ${broadcasts.pending} = 0`;
});

const moveToFailed = statement({ ...leaseParameters, now: integer }, (p) => {
  const none = { pending: 0, skipped_unsubscribed: 0, skipped_suppressed: 0, removed: 0, messages: 0 };
  const change = assignments(broadcasts, {
    ...RELEASED,
    ...none,
    state: "failed",
    paused_state: null,
    cursor: "",
    updated_at: p.now,
    next_step_at: null,
  });
  return sql`update ${broadcasts} set ${change} where ${isHeld(p)}`;
});

const endCancelled = statement({ ...leaseParameters, purgeAt: integer }, (p) => {
  const change = assignments(broadcasts, { ...RELEASED, cursor: ENDED_POSITION, next_step_at: p.purgeAt });
  return sql`update ${broadcasts} set ${change} where ${isHeld(p)}`;
});

/**
 * Ends a broadcast and stores the event, in one transaction. Returns false when the step has lost the broadcast. The skipped
 * recipients are deleted at `purgeAt`. Times are in unix ms.
 */
export async function storeEnd(
  context: WebhooksContext,
  db: Db,
  lease: Lease,
  end: { state: "sent" | "failed" | "cancelled"; event: EndEvent; companyId: number; now: number; purgeAt: number },
): Promise<boolean> {
  const { state, event, companyId, now, purgeAt } = end;
  const moves = {
    sent: () => moveToSent({ ...lease, now, purgeAt }),
    failed: () => moveToFailed({ ...lease, now }),
    cancelled: () => endCancelled({ ...lease, purgeAt }),
  };
  const statements = { event: insertEvent({ ...lease, ...event, now }), moved: moves[state]() };
  const keys = [{ id: event.event_id, company_id: companyId }];
  const { moved } = await batchWithEvents(context, db, statements, keys);
  return moved.changes > 0;
}

const endPurge = statement({ ...leaseParameters, now: integer }, (p) => {
  const change = assignments(broadcasts, { ...RELEASED, next_step_at: null, purged_at: p.now });
  return sql`update ${broadcasts} set ${change} where ${isHeld(p)}`;
});

/** Ends the last step of a broadcast: its skipped recipients are deleted. */
export async function storePurged(db: Db, lease: Lease, now: number): Promise<void> {
  await db.run(endPurge({ ...lease, now }));
}
