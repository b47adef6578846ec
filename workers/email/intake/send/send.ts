import type { SendRequestRow } from "../../../../db/email/rows";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import type { MessageItem } from "../../../../schemas/email/intake/send";
import { tryParse, unwrap, valueOr } from "../../../kit/http/request/parsed";
import type { CompanyRow } from "../../../kit/outbox/queue-message";
import { findSuppression } from "../../audience/suppression/suppression";
import { checkVariables, readVariables, variablesByFormat, withRecipient } from "../../content/catalog/variables";
import type { EmailServices } from "../../services";
import { type NewMessage, newMessageId } from "../acceptance/acceptance";
import { replayItems } from "../acceptance/replay";
import { acceptReserved, rejectSuppressed } from "../acceptance/reserved";
import { resolveCompanyName } from "../submission/company-name";
import { addressesOf, readRecipients, requireRecipients } from "../submission/fields";
import { hashesOf } from "../submission/people";
import { acceptanceOf } from "../submission/submission";
import { openSend, readOptions, requireSendable } from "./send-request";

const PATH = "/api/v1/send";
const MAX_BODY_BYTES = 262_144;

/** The result of a send. `sendable` are the messages to deliver; a replay has none. */
export type SendOutcome = { isReplay: boolean; messages: MessageItem[]; lane: Lane; sendable: CompanyRow[] };

/** Handles `POST /api/v1/send`. Runs the checks in order, then stores all messages in one transaction. */
export async function submitSend(request: Request, services: EmailServices): Promise<SendOutcome> {
  const opened = await openSend(request, services, {
    path: PATH,
    limit: MAX_BODY_BYTES,
    read: (body) => {
      const recipients = tryParse(() => readRecipients(body, services.settings.maxRecipients));
      return { recipients, addresses: addressesOf(valueOr(recipients, [])) };
    },
  });
  if (opened.kind === "replay") return replaySend(services, opened.row);
  const { context, fields } = opened;
  const { settings } = services;
  const recipients = requireRecipients(unwrap(fields.recipients));
  const options = readOptions(context, services);
  const input = readVariables(context.body.variables, settings);
  const { origin, client, event, facts } = context;
  const name = resolveCompanyName(input, facts, { client, companyId: origin.companyId }, settings);
  const valuesIn = variablesByFormat(event, input, name.value);
  checkVariables(event, valuesIn({ language: options.language.value, timeZone: "UTC" }), settings);
  const { sender, content } = await requireSendable(opened, options, services);
  const messages = recipients.map((recipient): NewMessage => {
    const suppressed = findSuppression(event, context.hashes.get(recipient.email) ?? [], facts);
    const values = valuesIn({ language: content.language.value, timeZone: recipient.timeZone });
    const variables = withRecipient(event, values, recipient.email);
    const hashes = hashesOf(context, recipient.email);
    const messageFields = { id: newMessageId(), ruleId: null, templateKey: event.event_type };
    return { ...messageFields, recipient, hashes, content, variables, name, suppressed };
  });
  if (event.lane_class === "auth") rejectSuppressed(messages);
  const acceptance = acceptanceOf(context, { sender, ttlMs: options.ttlMs });
  const accepted = await acceptReserved(services, acceptance, messages, { respond: (items) => ({ messages: items }) });
  if ("winner" in accepted) return replaySend(services, accepted.winner);
  return { isReplay: false, messages: accepted.items, lane: event.lane_class, sendable: accepted.sendable };
}

async function replaySend(services: EmailServices, row: SendRequestRow): Promise<SendOutcome> {
  const messages = await replayItems(services, row);
  return { isReplay: true, messages, lane: messages[0]?.lane ?? "transactional", sendable: [] };
}
