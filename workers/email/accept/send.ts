import { maskAddress } from "../../../schemas/address";
import type { MessageItem } from "../../../schemas/email/send";
import type { FieldErrors } from "../../../schemas/errors";
import { open, SealError } from "../../kit/crypto/seal";
import { Problem } from "../../kit/problem";
import { messageAad } from "../content/mail";
import { checkVariables, readVariables, resolveVariables, withRecipient } from "../content/variables";
import type { EmailKeys } from "../keys";
import { addressesOf } from "../messages/message.store";
import { findSuppression } from "../recipients/suppression";
import type { EmailServices, Lane } from "../services";
import { acceptMessages, type Decision, expiryOf, type NewMessage, newMessageId } from "./acceptance";
import { resolveCompanyName } from "./company-name";
import { type Body, isObject, readRecipients } from "./fields";
import type { SendRequestRow } from "./idempotency.store";
import { reserveSend } from "./limits";
import { openSubmit, readOptions, requireSendable, type SubmitContext } from "./submission";
import { takeTurn, turnOf } from "./turn";

const PATH = "/api/v1/send";
const MAX_BODY_BYTES = 262_144;

/** The answer of a send; `sendable` are the ids (32 hex) to hand over, none for a replay. */
export type SendOutcome = { isReplay: boolean; messages: MessageItem[]; lane: Lane; sendable: string[] };

/** `POST /api/v1/send`: the checks of email details 3.1 in their order, then one batch that stores everything. */
export async function submitSend(request: Request, services: EmailServices): Promise<SendOutcome> {
  const opened = await openSubmit(request, services, {
    path: PATH,
    limit: MAX_BODY_BYTES,
    addresses: (body) => listAddresses(body, services.settings.maxRecipients),
  });
  if (opened.kind === "replay") return replaySend(services, opened.row, opened.keys);
  const { context } = opened;
  const { settings } = services;
  const recipients = readRecipients(context.body, settings.maxRecipients);
  const options = readOptions(context, services);
  const given = readVariables(context.body.variables, settings);
  const { companyId, client, event, facts } = context;
  const nameFacts = { stored: facts.storedName, provider: facts.provider };
  const name = resolveCompanyName(given, nameFacts, { client, companyId }, settings);
  const values = resolveVariables(event, given, name);
  checkVariables(event, values, settings);
  const decision: Decision = { context, options, ...(await requireSendable(context, options, services)) };
  const messages = recipients.map((recipient): NewMessage => {
    const suppressed = findSuppression(event.lane_class, context.hashes.get(recipient.email) ?? [], facts);
    const variables = withRecipient(event, values, recipient.email);
    return { id: newMessageId(), recipient, variables, name, suppressed };
  });
  if (event.lane_class === "auth") refuseSuppressed(messages);
  return storeSend(services, decision, messages);
}

async function storeSend(
  services: EmailServices,
  decision: Decision,
  messages: readonly NewMessage[],
): Promise<SendOutcome> {
  const { context } = decision;
  const { companyId, event, keys, now } = context;
  const sendable = messages.filter(({ suppressed }) => suppressed === null);
  const hashes = sendable.map(({ recipient }) => hashOf(context, recipient.email));
  const turn = await takeTurn(services, context, () =>
    reserveSend(services, { companyId, lane: event.lane_class, hashes, turn: turnOf(context), now }),
  );
  if ("winner" in turn) return replaySend(services, turn.winner, keys);
  const { reservation, limits } = turn.taken;
  const limitsOf = new Map(sendable.map(({ id }, place) => [id, limits[place] ?? []]));
  const counted = messages.map((message) => ({ ...message, limits: limitsOf.get(message.id) ?? [] }));
  const items = messages.map((message) => presentItem(decision, message));
  const masked = items.map((item) => ({ ...item, to: maskAddress(item.to) }));
  const response = { messages: masked };
  const winner = await acceptMessages(services, decision, { messages: counted, reservation, response });
  if (winner !== null) return replaySend(services, winner, keys);
  return { isReplay: false, messages: items, lane: event.lane_class, sendable: sendable.map(({ id }) => id) };
}

/** The stored answer, with the address of each message that is still stored in place of its masked form. */
async function replaySend(services: EmailServices, row: SendRequestRow, keys: EmailKeys): Promise<SendOutcome> {
  const stored = JSON.parse(row.response) as { messages: MessageItem[] };
  const ids = stored.messages.map(({ id }) => id.slice("msg_".length));
  const sealed = new Map(
    (await addressesOf(services.db, row.company_id, ids)).map((found) => [found.id, found.to_enc]),
  );
  const messages = await Promise.all(
    stored.messages.map(async (item, index) => {
      const id = ids[index] ?? "";
      const to = await openAddress(sealed.get(id), keys, messageAad("to_enc", row.company_id, id));
      return to === null ? item : { ...item, to };
    }),
  );
  return { isReplay: true, messages, lane: stored.messages[0]?.lane ?? "transactional", sendable: [] };
}

async function openAddress(sealed: string | undefined, keys: EmailKeys, aad: string): Promise<string | null> {
  if (sealed === undefined) return null;
  try {
    return await open(sealed, keys.variables, aad);
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** Check 18: one suppressed recipient fails a send on the auth lane. */
function refuseSuppressed(messages: readonly NewMessage[]): void {
  const field_errors: FieldErrors = {};
  for (const [index, { suppressed }] of messages.entries()) {
    if (suppressed !== null) field_errors[`to.${index}.email`] = ["recipient_suppressed"];
  }
  if (Object.keys(field_errors).length > 0) throw new Problem("recipient_suppressed", { field_errors });
}

function presentItem(decision: Decision, { id, recipient, suppressed }: NewMessage): MessageItem {
  const expiresAt = suppressed === null ? expiryOf(decision) : null;
  return {
    id: `msg_${id}`,
    to: recipient.email,
    status: suppressed === null ? "queued" : "suppressed",
    lane: decision.context.event.lane_class,
    template_version: null,
    language: decision.options.language.value,
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
}

function hashOf(context: SubmitContext, email: string): string {
  return context.hashes.get(email)?.[0] ?? "";
}

function listAddresses(body: Body, max: number): unknown[] {
  return Array.isArray(body.to) ? body.to.slice(0, max).map((entry) => (isObject(entry) ? entry.email : null)) : [];
}
