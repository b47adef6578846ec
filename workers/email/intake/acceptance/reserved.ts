import type { SendRequestRow } from "../../../../db/email/rows";
import { maskAddress } from "../../../../schemas/address";
import type { MessageItem } from "../../../../schemas/email/send";
import { iso } from "../../../kit/time";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { demandOf, reserveSend } from "../limits/limits";
import { acceptMessages, type Decision, expiryOf, type NewMessage } from "./acceptance";
import { takeTurn } from "./idempotency";
import type { Skips } from "./skips";

/** What was stored, `sendable` as ids (32 hex); or the request that was first with the same key. */
export type Accepted = { items: MessageItem[]; sendable: string[] } | { winner: SendRequestRow };

/**
 * Reserves the limits of all messages and stores them, with what they say in the answer that repeats get: all of them, or
 * none. `skips`: what makes no message.
 */
export async function acceptReserved(
  services: EmailServices,
  decision: Decision,
  messages: readonly NewMessage[],
  answer: { respond: (items: MessageItem[]) => object; skips?: Skips },
): Promise<Accepted> {
  const { context } = decision;
  const sendable = messages.filter(({ suppressed }) => suppressed === null);
  const recipients = sendable.map(({ recipient }) => recipient);
  const turn = await takeTurn(services, context, () => reserveSend(services, demandOf(context, recipients)));
  if ("winner" in turn) return turn;
  const { reservation, limits } = turn.taken;
  const limitsOf = new Map(sendable.map(({ id }, place) => [id, limits[place] ?? []]));
  const counted = messages.map((message) => ({ ...message, limits: limitsOf.get(message.id) ?? [] }));
  const items = messages.map((message) => presentItem(decision, message));
  const response = answer.respond(items.map((item) => ({ ...item, to: maskAddress(item.to) })));
  const { skips } = answer;
  const winner = await acceptMessages(services, decision, {
    ...{ messages: counted, reservation, response },
    ...(skips === undefined ? {} : { skips }),
  });
  return winner === null ? { items, sendable: sendable.map(({ id }) => id) } : { winner };
}

/** One suppressed recipient of sign-in mail fails the whole call: 422 with each of them. */
export function refuseSuppressed(messages: readonly NewMessage[]): void {
  const suppressed = messages.filter((message) => message.suppressed !== null);
  if (suppressed.length === 0) return;
  const fields = suppressed.map(({ recipient }) => [`${recipient.path}.email`, ["recipient_suppressed"]]);
  throw new Problem("recipient_suppressed", { field_errors: Object.fromEntries(fields) });
}

function presentItem(decision: Decision, { id, recipient, content, suppressed }: NewMessage): MessageItem {
  const expiresAt = suppressed === null ? expiryOf(decision) : null;
  return {
    id: `msg_${id}`,
    to: recipient.email,
    status: suppressed === null ? "queued" : "suppressed",
    lane: decision.context.event.lane_class,
    template_version: suppressed === null ? content.template_version : null,
    language: content.language.value,
    expires_at: iso(expiresAt),
  };
}
