import type { SendRequestRow } from "../../../../db/email/rows";
import type { MessageItem } from "../../../../schemas/email/intake/send";
import { maskAddress } from "../../../../schemas/text/address";
import type { Bound } from "../../../kit/db/statement";
import type { CompanyRow } from "../../../kit/outbox/queue-message";
import { iso } from "../../../kit/time";
import { removeUnusedAttachments } from "../../delivery/attachments/attachments";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { type RateLimitInput, releaseSend, reserveSend } from "../limits/limits";
import { type Acceptance, acceptMessages, type NewMessage } from "./acceptance";
import { acquireIdempotencyLock } from "./idempotency";
import { expiryOf } from "./message-row";

/** An acceptance in a lane that has rate limits. The bulk lane has none. */
export type LimitedAcceptance = Acceptance<RateLimitInput["lane"]>;

/** The stored messages, or the earlier request with the same idempotency key. `sendable` are the messages to deliver. */
export type Accepted = { items: MessageItem[]; sendable: CompanyRow[] } | { winner: SendRequestRow };

/**
 * Reserves the rate limits of all messages, then stores the attachments with `attach`. Then stores the messages, `statements` and the response for replays in one
 * transaction. Throws 429 when a limit is exceeded, and the errors of `attach`.
 */
export async function acceptReserved(
  services: EmailServices,
  acceptance: LimitedAcceptance,
  messages: readonly NewMessage[],
  options: {
    respond: (items: MessageItem[]) => object;
    statements?: readonly Bound[];
    attach?: () => Promise<string | null>;
  },
): Promise<Accepted> {
  const sendable = messages.filter(({ suppressed }) => suppressed === null);
  const limitInput = rateLimitInput(acceptance, sendable);
  const lock = await acquireIdempotencyLock(services, acceptance.origin, () => reserveSend(services, limitInput));
  if ("winner" in lock) return lock;
  const { reservation, limits } = lock.acquired;
  const limitsOf = new Map(sendable.map(({ id }, index) => [id, limits[index] ?? []]));
  const counted = messages.map((message) => ({ ...message, limits: limitsOf.get(message.id) ?? [] }));
  const items = messages.map((message) => presentItem(acceptance, message));
  const response = options.respond(items.map((item) => ({ ...item, to: maskAddress(item.to) })));
  const { statements = [] } = options;
  const accepted = { messages: counted, reservation, response, statements };
  const attachmentsId =
    sendable.length === 0 ? null : await attachAll(services, acceptance, { reservation, ...options });
  const winner = await acceptMessages(services, { ...acceptance, attachmentsId }, accepted);
  if (winner !== null && attachmentsId !== null) {
    await removeUnusedAttachments(services, acceptance.origin.companyId, [attachmentsId]);
  }
  return winner === null
    ? { items, sendable: sendable.map(({ id }) => ({ id, company_id: acceptance.origin.companyId })) }
    : { winner };
}

/** Stores the attachments and returns the id of the set, or null. Releases the reserved limits when that fails. */
async function attachAll(
  services: EmailServices,
  { origin }: LimitedAcceptance,
  { attach, reservation }: { attach?: () => Promise<string | null>; reservation: string | null },
): Promise<string | null> {
  if (attach === undefined) return null;
  try {
    return await attach();
  } catch (error) {
    await releaseSend(services, origin.companyId, reservation);
    throw error;
  }
}

/** Returns the rate limit input for these messages of an acceptance. */
export function rateLimitInput({ origin, kind }: LimitedAcceptance, messages: readonly NewMessage[]): RateLimitInput {
  const { companyId, idempotency, now } = origin;
  const separateEvent = kind.hasSeparateLimit ? kind.eventType : null;
  const people = messages.map(({ recipient: { path }, hashes: { address, person } }) => {
    return { hash: address, person, counter: separateEvent === null ? person : `${separateEvent}:${person}`, path };
  });
  return { companyId, lane: kind.lane, separateEvent, people, lock: idempotency?.lock ?? null, now };
}

/** Throws 422 `recipient_suppressed` with every suppressed recipient, if any. Sign-in mail is rejected as a whole. */
export function rejectSuppressed(messages: readonly NewMessage[]): void {
  const suppressed = messages.filter((message) => message.suppressed !== null);
  if (suppressed.length === 0) return;
  const fields = suppressed.map(({ recipient }) => [`${recipient.path}.email`, ["recipient_suppressed"]]);
  throw new Problem("recipient_suppressed", { field_errors: Object.fromEntries(fields) });
}

function presentItem(acceptance: Acceptance, { id, recipient, content, suppressed }: NewMessage): MessageItem {
  const expiresAt = suppressed === null ? expiryOf(acceptance) : null;
  return {
    id: `msg_${id}`,
    to: recipient.email,
    status: suppressed === null ? "queued" : "suppressed",
    lane: acceptance.kind.lane,
    template_version: suppressed === null ? content.template_version : null,
    language: content.language.value,
    expires_at: iso(expiresAt),
  };
}
