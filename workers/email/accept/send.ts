import type { SendRequestRow } from "../../../db/email/rows";
import { maskAddress } from "../../../schemas/address";
import type { Lane } from "../../../schemas/email/lanes";
import type { MessageItem } from "../../../schemas/email/send";
import type { FieldErrors } from "../../../schemas/errors";
import { isObject, type JsonObject } from "../../kit/json";
import { iso } from "../../kit/time";
import { checkVariables, readVariables, resolveVariables, withRecipient } from "../content/variables";
import { openAddress } from "../messages/seal";
import { Problem } from "../problem";
import { findSuppression } from "../recipients/suppression";
import type { EmailServices } from "../services";
import { acceptMessages, type Decision, expiryOf, type NewMessage, newMessageId } from "./acceptance";
import { findAddresses } from "./acceptance.store";
import { resolveCompanyName } from "./company-name";
import { readRecipients } from "./fields";
import { takeTurn } from "./idempotency";
import { reserveSend } from "./limits";
import { demandOf, openSubmit, readOptions, requireSendable } from "./submission";

const PATH = "/api/v1/send";
const MAX_BODY_BYTES = 262_144;

/** The answer of a send; `sendable` are the ids (32 hex) to hand over, none for a replay. */
export type SendOutcome = { isReplay: boolean; messages: MessageItem[]; lane: Lane; sendable: string[] };

/** `POST /api/v1/send`: the checks in their order, then one batch that stores everything. */
export async function submitSend(request: Request, services: EmailServices): Promise<SendOutcome> {
  const opened = await openSubmit(request, services, {
    path: PATH,
    limit: MAX_BODY_BYTES,
    addresses: (body) => listAddresses(body, services.settings.maxRecipients),
  });
  if (opened.kind === "replay") return replaySend(services, opened.row);
  const { context } = opened;
  const { settings } = services;
  const recipients = readRecipients(context.body, settings.maxRecipients);
  const options = readOptions(context, services);
  const given = readVariables(context.body.variables, settings);
  const { companyId, client, event, facts } = context;
  const nameFacts = { stored: facts.storedName, provider: facts.provider };
  const name = resolveCompanyName(given, nameFacts, { client, companyId }, settings);
  const values = resolveVariables(event, given, name.value);
  checkVariables(event, values, settings);
  const { sender, content } = await requireSendable(context, options, services);
  const decision: Decision = { context, options, sender };
  const messages = recipients.map((recipient): NewMessage => {
    const suppressed = findSuppression(event, context.hashes.get(recipient.email) ?? [], facts);
    const variables = withRecipient(event, values, recipient.email);
    return { id: newMessageId(), recipient, templateKey: event.event_type, content, variables, name, suppressed };
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
  const { event } = context;
  const sendable = messages.filter(({ suppressed }) => suppressed === null);
  const addresses = sendable.map(({ recipient }) => recipient.email);
  const turn = await takeTurn(services, context, () => reserveSend(services, demandOf(context, addresses)));
  if ("winner" in turn) return replaySend(services, turn.winner);
  const { reservation, limits } = turn.taken;
  const limitsOf = new Map(sendable.map(({ id }, place) => [id, limits[place] ?? []]));
  const counted = messages.map((message) => ({ ...message, limits: limitsOf.get(message.id) ?? [] }));
  const items = messages.map((message) => presentItem(decision, message));
  const masked = items.map((item) => ({ ...item, to: maskAddress(item.to) }));
  const response = { messages: masked };
  const winner = await acceptMessages(services, decision, { messages: counted, reservation, response });
  if (winner !== null) return replaySend(services, winner);
  return { isReplay: false, messages: items, lane: event.lane_class, sendable: sendable.map(({ id }) => id) };
}

/** The stored answer, with the address of each message that is still stored in place of its masked form. */
async function replaySend(services: EmailServices, row: SendRequestRow): Promise<SendOutcome> {
  const stored = row.response as { messages: MessageItem[] };
  const ids = stored.messages.map(({ id }) => id.slice("msg_".length));
  const keys = await services.keys();
  const found = await services.db.all(findAddresses({ companyId: row.company_id, ids }));
  const sealed = new Map(found.map((message) => [`msg_${message.id}`, message]));
  const messages = await Promise.all(
    stored.messages.map(async (item) => {
      const message = sealed.get(item.id);
      const to = message === undefined ? null : await openAddress(message, keys);
      return to === null ? item : { ...item, to };
    }),
  );
  return { isReplay: true, messages, lane: stored.messages[0]?.lane ?? "transactional", sendable: [] };
}

/** One suppressed recipient fails a send on the auth lane. */
function refuseSuppressed(messages: readonly NewMessage[]): void {
  const field_errors: FieldErrors = {};
  for (const [index, { suppressed }] of messages.entries()) {
    if (suppressed !== null) field_errors[`to.${index}.email`] = ["recipient_suppressed"];
  }
  if (Object.keys(field_errors).length > 0) throw new Problem("recipient_suppressed", { field_errors });
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

function listAddresses(body: JsonObject, max: number): unknown[] {
  return Array.isArray(body.to) ? body.to.slice(0, max).map((entry) => (isObject(entry) ? entry.email : null)) : [];
}
