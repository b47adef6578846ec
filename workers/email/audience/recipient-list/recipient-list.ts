import * as z from "zod";
import type { BroadcastRow } from "../../../../db/email/rows";
import type { RecipientStatus } from "../../../../schemas/email/audience/recipients";
import type { MESSAGE_STATUSES } from "../../../../schemas/email/intake/send";
import { lazySchema } from "../../../../schemas/lazy-schema";
import type { Bound } from "../../../kit/db/statement";
import { encodeCursor } from "../../../kit/http/paging/cursor";
import type { Page, PageRows } from "../../../kit/http/paging/page";
import { scanOfLimit, splitScan } from "../../../kit/http/paging/scan";
import type { EmailServices } from "../../services";
import {
  listSentRecipients,
  listWaitingRecipients,
  type SentRecipientRow,
  type WaitingRecipientRow,
} from "./recipient-list.store";

type MessageStatus = (typeof MESSAGE_STATUSES)[number];
type WaitingStatus = WaitingRecipientRow["status"];

const MESSAGE_STATUSES_OF: Record<Exclude<RecipientStatus, WaitingStatus>, readonly MessageStatus[]> = {
  queued: ["queued", "sending", "retrying"],
  sent: ["sent", "delivery_delayed"],
  delivered: ["delivered"],
  bounced: ["bounced"],
  complained: ["complained"],
  cancelled: ["cancelled"],
  failed: ["failed", "expired", "suppressed"],
};
const statusByMessage = new Map(
  Object.entries(MESSAGE_STATUSES_OF).flatMap(([status, statuses]) =>
    statuses.map((value) => [value, status as RecipientStatus] as const),
  ),
);

/** Returns the status of a recipient whose message has this status. */
export function recipientStatusOf(status: MessageStatus): RecipientStatus {
  const found = statusByMessage.get(status);
  if (found === undefined) throw new Error(`no recipient status for ${status}`);
  return found;
}

const isWaitingStatus = (status: RecipientStatus): status is WaitingStatus => !(status in MESSAGE_STATUSES_OF);

/** The position in the messages of a broadcast, or after them in its recipients without a message. */
export const recipientPosition = lazySchema(() =>
  z.union([
    z.tuple([z.literal("sent"), z.int().min(0), z.string().regex(/^[0-9a-f]{32}$/)]),
    z.tuple([z.literal("waiting"), z.string().regex(/^[0-9a-f]{0,64}$/)]),
  ]),
);
type Position = z.output<typeof recipientPosition>;

/** A recipient with a message, or one without. */
export type RecipientRow = { sent: SentRecipientRow } | { waiting: WaitingRecipientRow };

type Listed = { status: RecipientStatus | null; page: Page<Position> };

/**
 * Reads one page of the recipients of a broadcast: first those with a message, oldest first, then the others. A page may be
 * short although more pages follow. `entry` is stored in the same batch as the read, if it is not null.
 */
export async function readRecipients(
  { dbOf }: Pick<EmailServices, "dbOf">,
  broadcast: BroadcastRow,
  { status, page }: Listed,
  entry: Bound | null,
): Promise<PageRows<RecipientRow>> {
  const db = dbOf(broadcast.company_id);
  const { limit, after } = page;
  const startsWithMessages = after?.[0] !== "waiting" && broadcast.started_at !== null;
  const sent =
    startsWithMessages && (status === null || !isWaitingStatus(status))
      ? selectSent(broadcast, { status, limit, after: after?.[0] === "sent" ? after : null })
      : null;
  const waitingAfter = after?.[0] === "waiting" ? after[1] : "";
  const waiting =
    status === null || isWaitingStatus(status)
      ? (size: number) =>
          listWaitingRecipients({ broadcastId: broadcast.id, after: waitingAfter, status, ...scanOfLimit(size) })
      : null;
  if (sent === null) {
    const read = waiting === null ? null : waiting(limit);
    const { rows } = await db.batch({ entry, rows: read });
    return splitWaiting(rows?.rows ?? [], page);
  }
  const { rows } = await db.batch({ entry, rows: sent });
  const found = splitScan(rows.rows, page, (row) => ["sent", row.accepted_at, row.id]);
  const first = { rows: found.rows.map((row) => ({ sent: row })), next_cursor: found.next_cursor };
  if (first.next_cursor !== null || waiting === null) return first;
  const rest = limit - first.rows.length;
  if (rest === 0) return { ...first, next_cursor: encodeCursor(["waiting", ""]) };
  const others = splitWaiting((await db.batch({ rows: waiting(rest) })).rows.rows, { ...page, limit: rest });
  return { rows: [...first.rows, ...others.rows], next_cursor: others.next_cursor };
}

function selectSent(
  { company_id: companyId, template_key: templateKey, state, started_at, sent_at, updated_at }: BroadcastRow,
  { status, limit, after }: { status: RecipientStatus | null; limit: number; after: Position | null },
) {
  const statuses = status === null || isWaitingStatus(status) ? null : `,${MESSAGE_STATUSES_OF[status].join(",")},`;
  const isEnded = state === "sent" || state === "cancelled";
  const [afterTime, afterId] = after?.[0] === "sent" ? [after[1], after[2]] : [started_at ?? 0, ""];
  // The messages of other mail that the company sent later need not be scanned.
  const until = isEnded ? Math.max(sent_at ?? 0, updated_at) : Number.MAX_SAFE_INTEGER;
  return listSentRecipients({ companyId, templateKey, afterTime, afterId, until, statuses, ...scanOfLimit(limit) });
}

function splitWaiting(rows: readonly WaitingRecipientRow[], page: Page<Position>): PageRows<RecipientRow> {
  const found = splitScan(rows, page, (row) => ["waiting", row.email_hmac]);
  return { rows: found.rows.map((row) => ({ waiting: row })), next_cursor: found.next_cursor };
}
