import type { BroadcastRow } from "../../../../db/email/rows";
import { DAY_MS } from "../../../kit/time";
import { sealedEvent } from "../../records/webhooks/event";
import type { EmailServices } from "../../services";
import {
  cancelSomeMessages,
  deleteSomeRecipients,
  ENDED_POSITION,
  type MessagePosition,
  storeEnd,
  storeFailure,
  storePurged,
} from "./ending.store";
import { countsOfMessages, type MessageCounts } from "./making.store";
import type { FailureCode } from "./preparing";
import type { Lease } from "./step.store";

/** The skipped recipients of a broadcast are deleted after this time. */
const RECIPIENTS_MS = 30 * DAY_MS;

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
 * broadcast fails only before its audience is complete.
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
  return end(services, { ...row, last_error_code: code }, lease, { state: "failed", counts: NO_MESSAGES });
}

/**
 * Removes the waiting recipients of a cancelled broadcast and cancels its waiting messages. Messages of a running attempt end
 * first. Returns "more" until then.
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
  let position: MessagePosition | null = { accepted_at: (row.started_at ?? row.created_at) - 1, id: "" };
  while (row.messages > 0 && position !== null) {
    if (clock.now() >= stopAt) return "more";
    position = await cancelSomeMessages(db, row, position, clock.now());
  }
  const counts = row.messages === 0 ? NO_MESSAGES : await db.first(countsOfMessages(row));
  if (counts === null || counts.queued > 0) return "more";
  return end(services, row, lease, { state: "cancelled", counts });
}

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

const NO_MESSAGES: MessageCounts = {
  sent: 0,
  delivered: 0,
  bounced: 0,
  complained: 0,
  expired: 0,
  failed: 0,
  queued: 0,
  suppressed: 0,
  cancelled: 0,
};

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
    ...(state === "failed" ? countsOf({ ...row, ...NO_RECIPIENTS }, counts) : countsOf(row, counts)),
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

const NO_RECIPIENTS = { pending: 0, skipped_unsubscribed: 0, skipped_suppressed: 0, removed: 0, messages: 0 };

type Counters = Pick<BroadcastRow, keyof typeof NO_RECIPIENTS>;

/** Returns the counts of a broadcast as the API shows them. `total` is their sum. */
function countsOf({ messages, removed, ...counters }: Counters, counts: MessageCounts) {
  const { queued, delivered, bounced, complained } = counts;
  const failed = counts.failed + counts.expired + counts.suppressed;
  const others = queued + delivered + bounced + complained + failed + counts.cancelled;
  const shown = {
    pending: counters.pending,
    skipped_unsubscribed: counters.skipped_unsubscribed,
    skipped_suppressed: counters.skipped_suppressed,
    queued,
    sent: messages - others,
    delivered,
    bounced,
    complained,
    cancelled: counts.cancelled + removed,
    failed,
  };
  return { total: Object.values(shown).reduce((sum, n) => sum + n, 0), ...shown };
}
