import { eventKeys } from "../../../../db/email/conditions/event-log";
import type { MessageRow } from "../../../../db/email/rows";
import { open, SealError, seal } from "../../../kit/crypto/seal";
import { dbOfScope } from "../../../kit/db/db";
import { parseJsonObject } from "../../../kit/http/request/body";
import { type Parsed, parseFrom, unwrap, valueOr } from "../../../kit/http/request/parsed";
import { uuid } from "../../../kit/ids";
import { DAY_MS } from "../../../kit/time";
import { batchWithEvents } from "../../../kit/webhooks/event-store/new-event";
import { unsubscribeAll } from "../../audience/unsubscribes/unsubscribe";
import { Problem } from "../../problem";
import { hashAddress, readAddress } from "../../records/seal/address";
import { openAddress } from "../../records/seal/seal";
import { messageEvent } from "../../records/webhooks/event";
import type { EmailServices } from "../../services";
import { filterDetail } from "../providers/detail";
import { openWebhookSecrets } from "../sender-settings/provider";
import { EVENT_RANKS, type ProviderEvent, type ProviderFormat, type ProviderNotice } from "./provider-event";
import {
  type Application,
  applicationOf,
  type EventMessage,
  findStoredEvents,
  findStoredEventsOf,
  keepWaiting,
  type Question,
  readFacts,
  remember,
  type WaitingEvent,
} from "./provider-event.store";

const SUPPRESSION_MS = 30 * DAY_MS;
const CONFIRM_TIMEOUT_MS = 5000;
/** A kept event is looked for again each minute for so long; then only the acceptance itself finds it. */
const LOOKED_FOR_MS = 3_600_000;
const KEPT_SIZE = 200;

/** The signing scope of the platform; a company's is its id as text. */
const PLATFORM = "platform";

/** Who signed: a company's own secret, or the platform's. */
type Signer = { scope: string; companyId: number | null };

/** A webhook as it came: `text` is its body, `company` that of the query, null without one. */
export type Incoming = { request: Request; text: Parsed<string>; company: string | null; stream: string };

/**
 * Proves and applies one webhook of a provider: two round trips, and one for what is known already. 401 unless a secret of
 * the named company, or of the platform, stands behind it; then 400 for what is no JSON object with its data.
 */
export async function receive(
  services: EmailServices,
  format: ProviderFormat & { isStandard: boolean },
  { request, text, company, stream }: Incoming,
): Promise<void> {
  const { clock, settings } = services;
  const companyId = company === null ? null : /^[1-9]\d{0,14}$/.test(company) ? Number(company) : 0;
  const signer: Signer = { scope: companyId === null ? PLATFORM : String(companyId), companyId };
  const db = dbOfScope(services, companyId);
  const body = parseFrom(text, parseJsonObject);
  const read = parseFrom(body, (fields) => format.read(fields, request));
  const now = clock.now();
  const sent = { raw: valueOr(text, ""), body: valueOr(body, null), now, fetch: services.fetch };
  // The platform's secret is a setting, so nothing is read for a stranger; that of a company is read with the facts.
  const { providerWebhookSecret: secret } = settings;
  if (companyId === null) await requireProof(format, request, { ...sent, secrets: secret === "" ? [] : [secret] });
  const facts = await readFacts(db, { companyId, scope: signer.scope, ...idsOf(valueOr(read, null)) });
  if (companyId !== null) {
    const secrets = await openWebhookSecrets(facts.provider, await services.keys(), now, format.isStandard);
    await requireProof(format, request, { ...sent, secrets });
  }
  const notice = unwrap(read);
  if (facts.isRepeat) return;
  if (notice.kind === "confirm") await confirm(services, notice.url);
  if (notice.kind === "unsubscribed") await leaveBulk(services, signer, notice, now);
  if (notice.kind !== "message") return;
  const message = facts.message !== null && isOf(signer, facts.message) ? facts.message : null;
  if (message !== null) await apply(services, signer.scope, message, notice, stream);
  else if (facts.message === null && notice.providerMessageId !== null) await keep(services, signer, notice, stream);
  else await db.batch(remember({ ...notice, scope: signer.scope, now, result: "unknown" }));
}

/** 401 unless one of the secrets proves the webhook. */
async function requireProof(
  { isStandard, verify }: ProviderFormat & { isStandard: boolean },
  request: Request,
  proof: Parameters<ProviderFormat["verify"]>[1],
): Promise<void> {
  if (proof.secrets.length > 0 && (await verify(request, proof))) return;
  // SNS shows the password of its address to who asks for it (RFC 9110, 11.6.1).
  const challenge = isStandard ? "Bearer" : 'Basic realm="webhooks"';
  throw new Problem("unauthorized", { headers: { "www-authenticate": challenge } });
}

/** What the facts of a notice are found by; what is ignored, or could not be read (null), finds nothing. */
function idsOf(notice: ProviderNotice | null): Pick<Question, "hookId" | "messageId" | "providerMessageId"> {
  const none = { hookId: "", messageId: null, providerMessageId: null };
  if (notice?.kind === "message") return notice;
  return notice?.kind === "unsubscribed" ? { ...none, hookId: notice.hookId } : none;
}

/** Whether a message was sent by the sender whose secret signed the event. */
function isOf({ companyId }: Signer, message: Pick<EventMessage, "scope" | "company_id">): boolean {
  return companyId === null
    ? message.scope === "platform"
    : message.scope === "company" && message.company_id === companyId;
}

/** Stores what an event means for its message; a repeat, of another request too, changes nothing. */
async function apply(
  services: EmailServices,
  scope: string,
  message: EventMessage,
  event: ProviderEvent,
  stream: string,
): Promise<void> {
  const keys = await services.keys();
  const now = services.clock.now();
  const status: MessageRow["status"] = event.type;
  const detail = filterDetail(event.detail, []);
  const code = codeOf(event);
  const messageEvents = await messageEvent(keys, message, {
    status,
    now,
    to: await openAddress(message, keys),
    facts: { error_code: code, reason: code, stream, bounce_type: event.bounceType },
  });
  const application: Application = {
    id: message.id,
    scope,
    hookId: event.hookId,
    status,
    rank: EVENT_RANKS[event.type],
    code,
    now,
    bounce: event.bounceType === null ? null : { type: event.bounceType, detail },
    step: { type: event.type, at: now, stream, ...(detail === "" ? {} : { detail }) },
    events: messageEvents === null ? [] : [messageEvents],
    suppression: suppressionOf(event, message, now),
  };
  const db = services.dbOf(message.company_id);
  await batchWithEvents(services.webhooks, db, applicationOf(application), eventKeys(application.events));
}

/** `last_error_code` after it; null: none. */
function codeOf({ type }: ProviderEvent): string | null {
  if (type === "failed") return "provider_rejected";
  return type === "suppressed" ? "recipient_suppressed" : null;
}

function suppressionOf(
  { type, bounceType }: ProviderEvent,
  { lane }: EventMessage,
  now: number,
): Application["suppression"] {
  if (type === "bounced" && bounceType === "permanent") {
    return { reason: "hard_bounce", lanes: [], expires_at: now + SUPPRESSION_MS };
  }
  if (type === "suppressed") return { reason: "provider", lanes: [], expires_at: null };
  // A complaint about a sign-in mail must not keep a person out.
  if (type !== "complained" || lane === "auth") return null;
  return { reason: "complaint", lanes: ["transactional", "bulk"], expires_at: null };
}

const storedEventAad = (scope: string, sealId: string) =>
  `email:provider_events:body_enc:${scope === PLATFORM ? 0 : scope}:${sealId}`;

type StoredEvent = { event: ProviderEvent; stream: string };

/** Keeps an event until the acceptance of its message is stored. */
async function keep(services: EmailServices, signer: Signer, event: ProviderEvent, stream: string): Promise<void> {
  const { variables } = await services.keys();
  const { scope, companyId } = signer;
  const sealId = uuid();
  const storedEvent: StoredEvent = { event: { ...event, detail: filterDetail(event.detail, []) }, stream };
  const body = await seal(JSON.stringify(storedEvent), variables, storedEventAad(scope, sealId));
  const { hookId, providerMessageId } = event;
  const row = { scope, hookId, providerMessageId: providerMessageId ?? "", body, sealId, now: services.clock.now() };
  const message = await keepWaiting(dbOfScope(services, companyId), row, event.type);
  if (message !== null && isOf(signer, message)) await apply(services, scope, message, event, stream);
}

/** Applies events that came before the acceptance of their message was stored; `providerIds` are those of messages just accepted, null: look for all. */
export async function applyStoredEvents(services: EmailServices, providerIds: readonly string[] | null): Promise<void> {
  const since = services.clock.now() - LOOKED_FOR_MS;
  const query =
    providerIds === null ? findStoredEvents({ since, limit: KEPT_SIZE }) : findStoredEventsOf({ providerIds });
  for (const row of await services.platformDb.all(query)) {
    const storedEvent = await openStoredEvent(services, row);
    const companyId = row.signing_scope === PLATFORM ? null : Number(row.signing_scope);
    if (storedEvent === null || !isOf({ scope: row.signing_scope, companyId }, row)) continue;
    await apply(services, row.signing_scope, row, storedEvent.event, storedEvent.stream);
  }
}

async function openStoredEvent(
  services: EmailServices,
  { body_enc, seal_id, signing_scope }: WaitingEvent,
): Promise<StoredEvent | null> {
  if (body_enc === null || seal_id === null) return null;
  try {
    const { variables } = await services.keys();
    return JSON.parse(await open(body_enc, variables, storedEventAad(signing_scope, seal_id))) as StoredEvent;
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    services.log.warn("a kept event does not open", { scope: signing_scope });
    return null;
  }
}

/** An address that its provider says wants no bulk mail: of the signing company, or of every company that the platform sends for. */
async function leaveBulk(
  services: EmailServices,
  { scope, companyId }: Signer,
  { hookId, email }: { hookId: string; email: string },
  now: number,
): Promise<void> {
  const db = dbOfScope(services, companyId);
  const address = readAddress(email);
  const companies = companyId === null ? [...services.settings.platformCompanyIds] : [companyId];
  const { peppers } = await services.keys();
  const [pepper] = peppers;
  if (address !== null && pepper !== undefined && companies.length > 0) {
    const emailHmac = await hashAddress(pepper, address);
    await unsubscribeAll(services, db, companies, { category: "bulk", emailHmac }, "provider");
  }
  await db.batch(remember({ scope, hookId, now, type: "unsubscribed", result: "applied" }));
}

/** Follows the address by which SNS asks whether the subscription is wanted; it repeats what fails. */
async function confirm({ fetch, log }: EmailServices, url: string): Promise<void> {
  const signal = AbortSignal.timeout(CONFIRM_TIMEOUT_MS);
  const response = await fetch(url, { redirect: "manual", signal });
  await response.body?.cancel();
  if (!response.ok) throw new Problem("service_unavailable");
  log.note({ confirmed_subscription: true });
}
