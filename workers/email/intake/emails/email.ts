import { directMessageId } from "../../../../db/email/conditions/direct";
import type { DirectContentRow, SendRequestRow } from "../../../../db/email/rows";
import { emailErrors } from "../../../../schemas/email/errors";
import { MAX_EMAILS } from "../../../../schemas/email/intake/emails";
import { tryParse, unwrap } from "../../../kit/http/request/parsed";
import type { CompanyRow } from "../../../kit/outbox/queue-message";
import { type Problem as AnyProblem, messageOf } from "../../../kit/problem";
import { SECOND_MS } from "../../../kit/time";
import { findSuppression } from "../../audience/suppression/suppression";
import { checkVariables, readVariables, resolveVariables, withRecipient } from "../../content/catalog/variables";
import type { PinnedContent } from "../../content/documents/content";
import type { Variables } from "../../content/tokens/values";
import type { NewAttachment } from "../../delivery/attachments/attachment-input";
import { storeAttachments } from "../../delivery/attachments/attachments";
import { DIRECT_EVENT, type Mailbox, sealContent, type Tag } from "../../delivery/messages/direct-content";
import { hasUnsubscribeToken } from "../../delivery/messages/direct-mail";
import { DIRECT_DESIGN } from "../../delivery/messages/stored-trace";
import { enqueueMessageIds } from "../../delivery/queue/lane-message";
import { canSendFrom, type Sender } from "../../delivery/sender/sender";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { type NewMessage, newMessageId } from "../acceptance/acceptance";
import { handOver } from "../acceptance/hand-over";
import { acceptReserved } from "../acceptance/reserved";
import { resolveCompanyName } from "../submission/company-name";
import { hashesOf } from "../submission/people";
import { requireContent, requireSender } from "../submission/sendable";
import { acceptanceOf } from "../submission/submission";
import { insertDirectContents } from "./email.store";
import { uuidOf } from "./email-id";
import type { EmailInput } from "./email-input";
import { atIndex, type EmailsContext, openEmails, templateOf } from "./email-request";
import { showMailbox } from "./mailbox";

/** Maximum delay of a queue message. Mail that is scheduled later is found by the sweep. */
const MAX_DELAY_SECONDS = 43_200;

/** The response to a batch. `errors` is present in the permissive mode. */
type BatchAnswer = { data: { id: string }[]; errors?: { index: number; message: string }[] };

/** Handles `POST /api/v1/emails`. Returns the id of the request as a UUID. */
export async function submitEmail(request: Request, services: EmailServices): Promise<{ id: string }> {
  const opened = await openEmails(request, services, {
    path: "/api/v1/emails",
    canAttach: true,
    list: (body) => [body],
  });
  if (opened.kind === "replay") return replayEmail(opened.row);
  const { context, results, fields } = opened;
  const emails = fields.emails.map((email, index) => ({ index, email: unwrap(email), path: "" }));
  const emailsContext = { context, results, template: templateOf(context, fields) };
  const prepared = await prepareEmails(services, emailsContext, emails, (problem) => {
    throw problem;
  });
  const winner = await storeEmails(services, prepared, (items) => ({ messages: items }));
  return winner === null ? { id: prepared.ids[0] ?? "" } : replayEmail(winner);
}

const replayEmail = ({ response }: SendRequestRow) => ({
  id: uuidOf((response as { messages: { id: string }[] }).messages[0]?.id.slice("msg_".length) ?? ""),
});

/**
 * Handles `POST /api/v1/emails/batch`. An invalid email rejects the batch, unless the request asks for permissive validation
 * and another email is valid. Then the response lists it in `errors`.
 */
export async function submitEmails(request: Request, services: EmailServices): Promise<BatchAnswer> {
  const opened = await openEmails(request, services, {
    path: "/api/v1/emails/batch",
    canAttach: false,
    listAs: "emails",
    list: ({ emails }) => {
      const code =
        !Array.isArray(emails) || emails.length === 0 ? "required" : emails.length > MAX_EMAILS ? "too_many" : null;
      if (code !== null) throw new Problem("validation_failed", { field_errors: { emails: [code] } });
      return emails as unknown[];
    },
  });
  if (opened.kind === "replay") return opened.row.response as BatchAnswer;
  const { context, results, fields } = opened;
  const isPermissive = request.headers.get("x-batch-validation")?.toLowerCase() === "permissive";
  const rejected: { index: number; problem: AnyProblem<string> }[] = [];
  const reject: RejectEmail = (problem, index) => {
    rejected.push({ index, problem });
    if (!isPermissive || rejected.length === fields.emails.length) throw atIndex(problem, index);
  };
  const emails = fields.emails.flatMap((email, index) => {
    if (email.ok) return [{ index, email: email.value, path: `emails.${index}.` }];
    reject(email.problem, index);
    return [];
  });
  const emailsContext = { context, results, template: templateOf(context, fields) };
  const prepared = await prepareEmails(services, emailsContext, emails, reject);
  const errors = rejected
    .sort((a, b) => a.index - b.index)
    .map(({ index, problem }) => ({ index, message: sentenceOf(problem) }));
  const answer: BatchAnswer = { data: prepared.ids.map((id) => ({ id })), ...(isPermissive ? { errors } : {}) };
  const winner = await storeEmails(services, prepared, () => answer);
  return winner === null ? answer : (winner.response as BatchAnswer);
}

const sentenceOf = (problem: AnyProblem<string>): string =>
  problem.options.message ?? messageOf(problem, emailErrors) ?? problem.code;

/** The messages of a request, and the contents that they share. `ids` are UUIDs, one per email. */
type Prepared = {
  acceptance: ReturnType<typeof acceptanceOf>;
  ids: string[];
  messages: NewMessage[];
  contents: DirectContentRow[];
  attachments: readonly NewAttachment[];
};

type PlacedEmail = { index: number; email: EmailInput; path: string };

/** Throws the problem of an email, or returns so that the other emails of the batch are sent. */
type RejectEmail = (problem: AnyProblem<string>, index: number) => void;

async function prepareEmails(
  services: EmailServices,
  { context, results, template }: EmailsContext,
  emails: readonly PlacedEmail[],
  reject: RejectEmail,
): Promise<Prepared> {
  const { settings } = services;
  const { origin, client, facts, keys } = context;
  const { companyId } = origin;
  const sender = await requireSender(context, false, services);
  const pinned =
    template === null
      ? null
      : requireContent(
          { ...context, event: template.event },
          template.language,
          { customTemplate: results.customTemplate.first },
          services,
        );
  const checkEmail = (email: EmailInput) => {
    requireFrom(sender, email.from);
    requireUnsubscribeLink(email, facts.provider?.optional_tags ?? []);
    const event = email.template === null ? null : (template?.event ?? null);
    const input = event === null ? {} : readVariables(email.template?.variables, settings);
    const name = resolveCompanyName(input, facts, { client, companyId }, settings);
    const format = { language: pinned?.language.value ?? "en", timeZone: email.template?.timeZone ?? "UTC" };
    const values = event === null ? null : resolveVariables(event, input, name.value, format);
    if (event !== null && values !== null) checkVariables(event, values, settings);
    return { event, name, values };
  };
  const ids: string[] = [];
  const messages: NewMessage[] = [];
  const contents: Promise<DirectContentRow>[] = [];
  const attachments: NewAttachment[] = [];
  for (const { index, email, path } of emails) {
    const checked = tryParse(() => checkEmail(email));
    if (!checked.ok) {
      reject(checked.problem, index);
      continue;
    }
    const { event, name, values } = checked.value;
    const id = directMessageId(newMessageId(), 0);
    attachments.push(...email.attachments);
    const ofEmail = email.to.map((to, recipient): NewMessage => {
      const hashes = hashesOf(context, to.address);
      return {
        id: directMessageId(id, recipient),
        recipient: { email: to.address, userId: null, path: `${path}to.${recipient}` },
        hashes,
        ruleId: null,
        templateKey: event?.event_type ?? DIRECT_EVENT,
        eventType: event?.event_type ?? eventTypeOf(email.tags),
        content: event === null || pinned === null ? directPin : pinned,
        variables: withName(event === null || values === null ? {} : withRecipient(event, values, to.address), to),
        name: event === null ? { source: "none", store: null } : name,
        suppressed: findSuppression(context.event, context.hashes.get(to.address) ?? [], facts),
        scheduledAt: email.scheduledAt,
        direct: { from: showMailbox(email.from), tags: email.tags },
      };
    });
    ids.push(uuidOf(id));
    messages.push(...ofEmail);
    if (ofEmail.every(({ suppressed }) => suppressed !== null)) continue;
    const { from, mail, replyTo, headers, scheduledAt } = email;
    contents.push(sealContent({ from, mail, replyTo, headers }, { companyId, id, scheduledAt }, keys));
  }
  const acceptance = acceptanceOf(context, { sender, ttlMs: null });
  return { acceptance, ids, messages, contents: await Promise.all(contents), attachments };
}

/** The content of a message whose mail is in `direct_contents`. */
const directPin: PinnedContent = {
  version_id: null,
  template_version: null,
  default_checksum: null,
  language: { value: "en", source: "default" },
  trace: { source: DIRECT_DESIGN, template_id: null, version: null, design: DIRECT_DESIGN, reason: null },
};

/** Returns the event type of a mail: statistics count it under its first tag. */
function eventTypeOf([tag]: readonly Tag[]): string {
  if (tag === undefined) return DIRECT_EVENT;
  return `${DIRECT_EVENT}.${tag.name}${tag.value === "" ? "" : `:${tag.value}`}`;
}

const withName = (variables: Variables, { name }: Mailbox): Variables =>
  name === "" ? variables : { recipient_name: name, ...variables };

function requireFrom(sender: Sender, from: Mailbox): void {
  if (!canSendFrom(sender, from.address))
    throw new Problem("from_not_allowed", { field_errors: { from: ["not_allowed"] } });
}

/** Throws 400 `[unsubscribe_missing]` for content without the unsubscribe link if a tag of the email is optional. */
function requireUnsubscribeLink({ mail, tags }: EmailInput, optionalTags: readonly string[]): void {
  const isOptional = tags.some(({ name, value }) =>
    optionalTags.some((tag) => tag === name || tag === `${name}:${value}`),
  );
  if (mail === null || !isOptional) return;
  const parts = (["html", "text"] as const).filter((part) => mail[part] !== "" && !hasUnsubscribeToken(mail[part]));
  if (parts.length === 0) return;
  const message = "The emails of an optional tag must contain `{{ system.unsubscribe_url }}`.";
  const field_errors = Object.fromEntries(parts.map((part) => [part, ["unsubscribe_missing"]]));
  throw new Problem("validation_failed", { message, field_errors });
}

/** Stores the emails and passes those that are due to delivery. Returns null, or the earlier request with the same key. */
async function storeEmails(
  services: EmailServices,
  { acceptance, messages, contents, attachments }: Prepared,
  respond: Parameters<typeof acceptReserved>[3]["respond"],
): Promise<SendRequestRow | null> {
  const statements = insertDirectContents(contents);
  const accepted = await acceptReserved(services, acceptance, messages, {
    respond,
    statements,
    attach: () => storeAttachments(services, acceptance.origin.companyId, attachments),
  });
  if ("winner" in accepted) return accepted.winner;
  const times = new Map(messages.map(({ id, scheduledAt = null }) => [id, scheduledAt]));
  const byTime = new Map<number | null, CompanyRow[]>();
  for (const row of accepted.sendable) {
    const at = times.get(row.id) ?? null;
    byTime.set(at, [...(byTime.get(at) ?? []), row]);
  }
  for (const [at, rows] of byTime) {
    if (at === null) await handOver(services, "transactional", rows);
    else enqueueScheduled(services, rows, at);
  }
  return null;
}

/** Enqueues scheduled messages so that they arrive when they are due (`at` in unix ms). The sweep finds later ones. */
export function enqueueScheduled(services: EmailServices, rows: readonly CompanyRow[], at: number): void {
  const delaySeconds = Math.max(0, Math.ceil((at - services.clock.now()) / SECOND_MS));
  if (delaySeconds > MAX_DELAY_SECONDS) return;
  services.waitUntil(enqueueMessageIds(services, "transactional", rows, { delaySeconds }));
}
