import type { SendRequestRow } from "../../../../db/email/rows";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import type { SkippedReason } from "../../../../schemas/email/intake/ingest";
import type { MessageItem } from "../../../../schemas/email/intake/send";
import type { CompanyRow } from "../../../kit/outbox/queue-message";
import { findSuppression } from "../../audience/suppression/suppression";
import { checkVariables, variablesByFormat, withRecipient } from "../../content/catalog/variables";
import type { ChosenLanguage } from "../../content/documents/content";
import type { Variables } from "../../content/tokens/values";
import type { EmailServices } from "../../services";
import { acceptResponse, type NewMessage, newMessageId } from "../acceptance/acceptance";
import { replayItems } from "../acceptance/replay";
import { acceptReserved, rejectSuppressed } from "../acceptance/reserved";
import type { ActiveRule } from "../rules/active-rules";
import { resolveCompanyName } from "../submission/company-name";
import { hashesOf } from "../submission/people";
import { requireContent, requireSender } from "../submission/sendable";
import { countRefusals, refusedRecipient, type Skip, skipStatements } from "../submission/skips";
import { acceptanceOf, openSubmit, type SubmitContext } from "../submission/submission";
import { admitEvent, type EventInput, readEventFields, requireEventInput } from "./event-input";
import { type EventRecipient, resolveRecipients } from "./event-recipients";
import { loadRules, selectRulesOfEvent } from "./event-rules";

const PATH = "/api/v1/events";
const MAX_BODY_BYTES = 262_144;

/** The fields of a response besides its messages. `skipped` is set when every recipient was refused. */
type EventResponse = {
  rule_enabled: boolean;
  skipped_reason?: SkippedReason;
  skipped?: ReturnType<typeof countRefusals>;
};

/** The result of an event request. `sendable` are the messages to deliver; a replay has none. */
export type EventOutcome = {
  isReplay: boolean;
  response: EventResponse;
  messages: MessageItem[];
  lane: Lane;
  sendable: CompanyRow[];
};

type RuleRecipients = { rule: ActiveRule; recipients: readonly EventRecipient[] };

/** Handles `POST /api/v1/events`. Runs the checks in order, then stores the messages of all rules in one transaction. */
export async function submitEvent(request: Request, services: EmailServices): Promise<EventOutcome> {
  const { settings } = services;
  const opened = await openSubmit(request, services, {
    path: PATH,
    limit: MAX_BODY_BYTES,
    read: (body) => readEventFields(body, settings),
    admit: admitEvent,
    reads: selectRulesOfEvent,
  });
  if (opened.kind === "replay") return replayEvent(services, opened.row);
  const input = requireEventInput(opened.context, opened.fields, settings);
  const { context, rules } = await loadRules(services, opened.context, opened.results);
  if (rules.length === 0) return skipEvent(services, context, "no_rule", [{ reason: "no_rule", rule_id: null }]);
  const resolved = resolveRecipients(rules, input.hints);
  const emptyRules = resolved.flatMap(({ rule, recipients }): Skip[] =>
    recipients.length === 0 ? [{ reason: "no_recipients", rule_id: rule.id }] : [],
  );
  if (emptyRules.length === resolved.length) return skipEvent(services, context, "no_recipients", emptyRules);
  return sendEvent(services, context, input, { resolved, emptyRules });
}

async function sendEvent(
  services: EmailServices,
  context: SubmitContext,
  input: EventInput,
  { resolved, emptyRules }: { resolved: readonly RuleRecipients[]; emptyRules: readonly Skip[] },
): Promise<EventOutcome> {
  const { settings } = services;
  const { origin, client, event, facts } = context;
  const name = resolveCompanyName(input.payload, facts, { client, companyId: origin.companyId }, settings);
  const valuesIn = variablesByFormat(event, input.payload, name.value);
  checkVariables(event, valuesIn({ language: input.language.value, timeZone: "UTC" }), settings);
  const sender = await requireSender(context, false, services);
  const acceptance = acceptanceOf(context, { sender, ttlMs: input.ttlMs });
  const messages = resolved.flatMap(({ rule, recipients }) =>
    recipients.map((recipient): NewMessage => {
      const { customTemplate } = rule;
      const language = languageOf(rule, recipient, input.language);
      const content = requireContent(context, language, { customTemplate }, services);
      const values = valuesIn({ language: content.language.value, timeZone: recipient.timeZone });
      return {
        id: newMessageId(),
        recipient,
        hashes: hashesOf(context, recipient.email),
        ruleId: rule.id,
        templateKey: customTemplate?.template_key ?? event.event_type,
        name,
        content,
        variables: withName(withRecipient(event, values, recipient.email), recipient),
        suppressed: findSuppression(event, context.hashes.get(recipient.email) ?? [], facts),
      };
    }),
  );
  if (event.lane_class === "auth") rejectSuppressed(messages);
  const refused = messages.flatMap(({ ruleId, recipient: { email }, suppressed }) =>
    suppressed === null ? [] : [refusedRecipient(context, { email, reason: suppressed.code, ruleId })],
  );
  const skips = [...emptyRules, ...refused];
  const response: EventResponse = {
    rule_enabled: true,
    ...(refused.length === messages.length ? { skipped: countRefusals(refused) } : {}),
  };
  const accepted = await acceptReserved(
    services,
    acceptance,
    messages.filter(({ suppressed }) => suppressed === null),
    {
      respond: (items) => ({ ...response, messages: items }),
      statements: skipStatements(context, services.requestId, { skips, reason: null }),
    },
  );
  if ("winner" in accepted) return replayEvent(services, accepted.winner);
  const { items, sendable } = accepted;
  return { isReplay: false, response, messages: items, lane: event.lane_class, sendable };
}

/** Returns the language of a message. The rule takes precedence over the recipient, and the recipient over the request. */
function languageOf(rule: ActiveRule, recipient: EventRecipient, requested: ChosenLanguage): ChosenLanguage {
  if (rule.language !== "") return { value: rule.language, source: "rule" };
  return recipient.language === null ? requested : { value: recipient.language, source: "recipient" };
}

/** Adds the name of the recipient unless the payload sets `recipient_name`. */
function withName(values: Variables, { name }: EventRecipient): Variables {
  return name === "" || values.recipient_name !== undefined ? values : { ...values, recipient_name: name };
}

async function skipEvent(
  services: EmailServices,
  context: SubmitContext,
  reason: SkippedReason,
  skips: readonly Skip[],
): Promise<EventOutcome> {
  const response: EventResponse = { rule_enabled: reason !== "no_rule", skipped_reason: reason };
  const statements = skipStatements(context, services.requestId, { skips, reason });
  const winner = await acceptResponse(services, context.origin, {
    response: { ...response, messages: [] },
    statements,
  });
  if (winner !== null) return replayEvent(services, winner);
  return { isReplay: false, response, messages: [], lane: context.event.lane_class, sendable: [] };
}

/** Returns the stored response. A response that is stored in a message has no `rule_enabled`, because its value was true. */
async function replayEvent(services: EmailServices, row: SendRequestRow): Promise<EventOutcome> {
  const { rule_enabled = true, skipped_reason, skipped } = row.response as Partial<EventResponse>;
  const response = {
    rule_enabled,
    ...(skipped_reason === undefined ? {} : { skipped_reason }),
    ...(skipped === undefined ? {} : { skipped }),
  };
  const messages = await replayItems(services, row);
  return { isReplay: true, response, messages, lane: messages[0]?.lane ?? "transactional", sendable: [] };
}
