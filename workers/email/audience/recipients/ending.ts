import type { BroadcastRow } from "../../../../db/email/rows";
import { DAY_MS, MINUTE_MS } from "../../../kit/time";
import { sealedEvent } from "../../records/webhooks/event";
import type { EmailServices } from "../../services";
import {
  type Counters,
  type MessageCounts,
  messageCountsOf,
  presentCounts,
  selectMessageCounts,
} from "../broadcast-counts/counts";
import {
  cancelSomeMessages,
  deleteSomeRecipients,
  ENDED_POSITION,
  type MessagePosition,
  storeEnd,
  storeFailure,
  storePosition,
  storePurged,
} from "./ending.store";
import type { FailureCode } from "./preparing";
import type { Lease } from "./step.store";

/** The skipped recipients of a broadcast are deleted after this time. */
const RECIPIENTS_MS = 30 * DAY_MS;

/** A message may be accepted this much later than its broadcast was cancelled, by the clock of another location. */
const LATE_MESSAGES_MS = 10 * MINUTE_MS;

/** The end of a part. `more`: the time of the step is over, and recipients or messages are left. */
export type EndResult = "ended" | "more" | "lost";

/** Ends a broadcast whose messages have all ended. */
export async function endSent(
  services: EmailServices,
  row: BroadcastRow,
  lease: Lease,
  counts: MessageCounts,
): Promise<EndResult> {
  return end(services, row, lease, { state: "sent", counts });
}

/**
 * Removes the recipients of a broadcast that fails, and then ends it. The token is erased first. No message exists, because a
 * broadcast fails only before its first message is created.
 */
export async function endFailed(
  services: EmailServices,
  row: BroadcastRow,
  lease: Lease,
  { code, stopAt }: { code: FailureCode | string; stopAt: number },
): Promise<EndResult> {
  const db = services.dbOf(row.company_id);
  if (!(await storeFailure(db, lease, code))) return "lost";
  while (await deleteSomeRecipients(db, lease, null)) if (services.clock.now() >= stopAt) return "more";
  return end(services, { ...row, last_error_code: code }, lease, {
    state: "failed",
    counts: messageCountsOf(row.id, []),
  });
}

/**
 * Removes the waiting recipients of a cancelled broadcast and cancels its waiting messages. Returns "more" when the time of the step
 * is over, and while messages of a running attempt have not ended: a later step reads the messages again.
 */
export async function endCancelled(
  services: EmailServices,
  row: BroadcastRow,
  lease: Lease,
  stopAt: number,
): Promise<EndResult> {
  const { clock } = services;
  const db = services.dbOf(row.company_id);
  while (await deleteSomeRecipients(db, lease, "pending")) if (clock.now() >= stopAt) return "more";
  let position: MessagePosition | null = readPosition(row);
  const until = row.updated_at + LATE_MESSAGES_MS;
  while (row.messages > 0 && position !== null) {
    position = await cancelSomeMessages(db, row, { after: position, until }, clock.now());
    if (position !== null && clock.now() >= stopAt) {
      return (await storePosition(db, lease, writePosition(position))) ? "more" : "lost";
    }
  }
  const rows = row.messages === 0 ? [] : await db.all(selectMessageCounts(row.company_id, [row], clock.now()));
  const counts = messageCountsOf(row.id, rows);
  if (counts.queued > 0) return (await storePosition(db, lease, "")) ? "more" : "lost";
  return end(services, row, lease, { state: "cancelled", counts });
}

/** Returns the position after which a cancellation continues: that of its last step, or before the first message. */
function readPosition({ cursor, started_at, created_at }: BroadcastRow): MessagePosition {
  const [, acceptedAt, id] = POSITION.exec(cursor) ?? [];
  if (acceptedAt === undefined || id === undefined) return { accepted_at: (started_at ?? created_at) - 1, id: "" };
  return { accepted_at: Number(acceptedAt), id };
}

const writePosition = ({ accepted_at, id }: MessagePosition) => `cancelled:${accepted_at}:${id}`;
const POSITION = /^cancelled:(\d+):(.*)$/;

/** Deletes the skipped recipients of a broadcast that ended long ago. */
export async function purgeRecipients(
  services: EmailServices,
  row: BroadcastRow,
  lease: Lease,
  stopAt: number,
): Promise<EndResult> {
  const db = services.dbOf(row.company_id);
  while (await deleteSomeRecipients(db, lease, null)) if (services.clock.now() >= stopAt) return "more";
  await storePurged(db, lease, services.clock.now());
  return "ended";
}

/** Returns whether only the removal of the skipped recipients of a broadcast follows. */
export const hasEnded = ({ cursor }: Pick<BroadcastRow, "cursor">): boolean => cursor === ENDED_POSITION;

const EVENT_TYPES = {
  sent: "email.broadcast.sent",
  failed: "email.broadcast.failed",
  cancelled: "email.broadcast.cancelled",
} as const;

type End = { state: "sent" | "failed" | "cancelled"; counts: MessageCounts };

async function end(
  services: EmailServices,
  row: BroadcastRow,
  lease: Lease,
  { state, counts }: End,
): Promise<EndResult> {
  const { webhooks, clock } = services;
  const now = clock.now();
  const companyId = row.company_id;
  const data = {
    broadcast_id: row.id,
    name: row.name,
    provider_ref: row.provider_ref,
    ...(state === "failed" ? { error_code: row.last_error_code } : {}),
    ...presentCounts(state === "failed" ? NO_RECIPIENTS : row, counts),
  };
  const event = await sealedEvent(await services.keys(), { type: EVENT_TYPES[state], companyId, data, now });
  const isStored = await storeEnd(webhooks, services.dbOf(companyId), lease, {
    state,
    event,
    companyId,
    now,
    purgeAt: now + RECIPIENTS_MS,
  });
  return isStored ? "ended" : "lost";
}

const NO_RECIPIENTS: Counters = {
  pending: 0,
  skipped_unsubscribed: 0,
  skipped_suppressed: 0,
  removed: 0,
  messages: 0,
};
