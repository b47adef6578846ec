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
  type FactsInput,
  findStoredEvents,
  findStoredEventsOf,
  markWithoutEffect,
  readFacts,
  storeWaiting,
  type WaitingEvent,
} from "./provider-event.store";

const SUPPRESSION_MS = 30 * DAY_MS;
const CONFIRM_TIMEOUT_MS = 5000;
/**
 * The sweep, which runs every minute, searches for the message of a stored event during the first hour. Later, the event is
 * applied only when an attempt stores the provider id of the message.
 */
const SEARCH_MS = 3_600_000;
const STORED_EVENTS_LIMIT = 200;

/** The signing scope of the platform. The signing scope of a company is its id as text. */
const PLATFORM = "platform";

/** The owner of the secret that verifies the webhook: a company or the platform. */
type Signer = { scope: string; companyId: number | null };

/** A received webhook. `text` is the body. `company` is the query parameter `company_id`, or null. */
export type Incoming = { request: Request; text: Parsed<string>; company: string | null; stream: string };

/**
 * Verifies and applies one webhook of a provider. Takes two round trips, or one for a repeated event. Throws 401 unless a
 * secret of the company, or of the platform when no company is named, verifies the webhook. Throws 400 when the body is not a
 * JSON object or lacks required data.
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
  const received = { raw: valueOr(text, ""), body: valueOr(body, null), now, fetch: services.fetch };
  // The platform secret is a setting, so the request is verified before any read. Company secrets are read with the facts.
  const { providerWebhookSecret: secret } = settings;
  if (companyId === null)
    await requireVerified(format, request, { ...received, secrets: secret === "" ? [] : [secret] });
  const facts = await readFacts(db, {
    companyId,
    scope: signer.scope,
    ...(await keysOfNotice(services, valueOr(read, null))),
  });
  if (companyId !== null) {
    const secrets = await openWebhookSecrets(facts.provider, await services.keys(), now, format.isStandard);
    await requireVerified(format, request, { ...received, secrets });
  }
  await act(services, signer, { notice: unwrap(read), facts, stream });
}

/**
 * Applies an event that reached the service through a queue of the platform's account, which needs no verification. Takes two
 * round trips, or one for a repeated event. Ignores messages that the platform did not send.
 */
export async function receivePlatformEvent(
  services: EmailServices,
  event: ProviderEvent,
  stream: string,
): Promise<void> {
  const signer: Signer = { scope: PLATFORM, companyId: null };
  const keys = await keysOfNotice(services, event);
  const facts = await readFacts(dbOfScope(services, null), { companyId: null, scope: PLATFORM, ...keys });
  await act(services, signer, { notice: event, facts, stream });
}

type Received = { notice: ProviderNotice; facts: Awaited<ReturnType<typeof readFacts>>; stream: string };

/** Applies a verified notice. A repeated notice changes nothing. */
async function act(services: EmailServices, signer: Signer, { notice, facts, stream }: Received): Promise<void> {
  if (facts.isRepeat) return;
  const now = services.clock.now();
  if (notice.kind === "confirm") await confirm(services, notice.url);
  if (notice.kind === "unsubscribed") await unsubscribeFromBulk(services, signer, notice, now);
  if (notice.kind !== "message") return;
  const message = facts.message !== null && isSentBySigner(signer, facts.message) ? facts.message : null;
  if (message !== null) await apply(services, signer.scope, message, notice, stream);
  else if (facts.message === null && notice.providerMessageId !== null) await store(services, signer, notice, stream);
  else {
    const event = { ...notice, scope: signer.scope, now, result: "unknown" };
    await dbOfScope(services, signer.companyId).batch(markWithoutEffect(event));
  }
}

/** Throws 401 unless one of the secrets verifies the webhook. */
async function requireVerified(
  { isStandard, verify }: ProviderFormat & { isStandard: boolean },
  request: Request,
  input: Parameters<ProviderFormat["verify"]>[1],
): Promise<void> {
  if (input.secrets.length > 0 && (await verify(request, input))) return;
  // SNS sends the password of the subscription URL only after a Basic challenge (RFC 9110, 11.6.1).
  const challenge = isStandard ? "Bearer" : 'Basic realm="webhooks"';
  throw new Problem("unauthorized", { headers: { "www-authenticate": challenge } });
}

/** Returns the values to look up for a notice. A notice that is ignored or unreadable (null) has none. */
async function keysOfNotice(
  services: EmailServices,
  notice: ProviderNotice | null,
): Promise<Omit<FactsInput, "companyId" | "scope">> {
  const none = { hookId: "", messageId: null, providerMessageId: null, broadcast: null };
  if (notice?.kind === "unsubscribed") return { ...none, hookId: notice.hookId };
  if (notice?.kind !== "message") return none;
  const { hookId, messageId, providerMessageId, broadcast } = notice;
  const address = broadcast === undefined ? null : readAddress(broadcast.to);
  if (broadcast === undefined || address === null) return { hookId, messageId, providerMessageId, broadcast: null };
  const { peppers } = await services.keys();
  const hashes = await Promise.all(peppers.map((pepper) => hashAddress(pepper, address)));
  return { hookId, messageId, providerMessageId, broadcast: { ref: broadcast.ref, hashes } };
}

/** Returns whether the message was sent by the owner of the secret. Others must not change its status. */
function isSentBySigner({ companyId }: Signer, message: Pick<EventMessage, "scope" | "company_id">): boolean {
  return companyId === null
    ? message.scope === "platform"
    : message.scope === "company" && message.company_id === companyId;
}

/** Applies an event to its message. A repeated event changes nothing, even in another request. */
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

/** Returns the `last_error_code` that the event sets, or null. */
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
  // A complaint about a sign-in mail must not lock a user out.
  if (type !== "complained" || lane === "auth") return null;
  return { reason: "complaint", lanes: ["transactional", "bulk"], expires_at: null };
}

const storedEventAad = (scope: string, sealId: string) =>
  `email:provider_events:body_enc:${scope === PLATFORM ? 0 : scope}:${sealId}`;

type StoredEvent = { event: ProviderEvent; stream: string };

/** Stores an event until the provider id of its message is known. */
async function store(services: EmailServices, signer: Signer, event: ProviderEvent, stream: string): Promise<void> {
  const { variables } = await services.keys();
  const { scope, companyId } = signer;
  const sealId = uuid();
  // The message will be found by its provider id, so the address of the recipient is not stored.
  const { broadcast: _broadcast, ...named } = event;
  const storedEvent: StoredEvent = { event: { ...named, detail: filterDetail(event.detail, []) }, stream };
  const body = await seal(JSON.stringify(storedEvent), variables, storedEventAad(scope, sealId));
  const { hookId, providerMessageId } = event;
  const row = { scope, hookId, providerMessageId: providerMessageId ?? "", body, sealId, now: services.clock.now() };
  const message = await storeWaiting(dbOfScope(services, companyId), row, event.type);
  if (message !== null && isSentBySigner(signer, message)) await apply(services, scope, message, event, stream);
}

/**
 * Applies stored events whose message is now known. `providerIds` are the provider ids of messages just sent; null applies the
 * events of the last hour.
 */
export async function applyStoredEvents(services: EmailServices, providerIds: readonly string[] | null): Promise<void> {
  const since = services.clock.now() - SEARCH_MS;
  const query =
    providerIds === null
      ? findStoredEvents({ since, limit: STORED_EVENTS_LIMIT })
      : findStoredEventsOf({ providerIds });
  for (const row of await services.platformDb.all(query)) {
    const storedEvent = await openStoredEvent(services, row);
    const companyId = row.signing_scope === PLATFORM ? null : Number(row.signing_scope);
    if (storedEvent === null || !isSentBySigner({ scope: row.signing_scope, companyId }, row)) continue;
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
    services.log.warn("a stored provider event cannot be decrypted", { scope: signing_scope });
    return null;
  }
}

/** Unsubscribes an address from the bulk mail of the signing company, or of all platform companies if the platform signed. */
async function unsubscribeFromBulk(
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
  await db.batch(markWithoutEffect({ scope, hookId, now, type: "unsubscribed", result: "applied" }));
}

/** Confirms an SNS subscription by requesting its URL. Throws 503 on failure, so that SNS retries. */
async function confirm({ fetch, log }: EmailServices, url: string): Promise<void> {
  const signal = AbortSignal.timeout(CONFIRM_TIMEOUT_MS);
  const response = await fetch(url, { redirect: "manual", signal });
  await response.body?.cancel();
  if (!response.ok) throw new Problem("service_unavailable");
  log.note({ confirmed_subscription: true });
}
