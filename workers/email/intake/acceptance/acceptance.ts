import type { NewEvent, SendRequestRow } from "../../../../db/email/rows";
import { maskAddress } from "../../../../schemas/address";
import { seal } from "../../../kit/crypto/seal";
import { ConstraintError } from "../../../kit/db/db";
import type { Bound } from "../../../kit/db/statement";
import { messageId } from "../../../kit/ids";
import type { Suppressed } from "../../audience/suppression/suppression";
import type { Variables } from "../../content/catalog/variables";
import type { PinnedContent } from "../../content/documents/content";
import type { Sender } from "../../delivery/sender/sender";
import { Problem } from "../../problem";
import { messageAad } from "../../records/seal/seal";
import { messageEvent } from "../../records/webhooks/event";
import type { EmailServices } from "../../services";
import { type LimitUse, releaseSend } from "../limits/limits";
import {
  type Acceptance,
  findMessage,
  type NewRequest,
  type OwnColumns,
  type SharedColumns,
  storeAcceptance,
} from "./acceptance.store";
import type { CompanyName } from "./company-name";
import type { Recipient } from "./fields";
import { checkFingerprint, storedFingerprint } from "./idempotency";
import { findRequest } from "./idempotency.store";
import type { Skips } from "./skips";
import { skipStatements } from "./skips.store";
import type { SubmitContext } from "./submission";

/** One message to be accepted; `suppressed` makes a row that is never sent. */
export type NewMessage = {
  /** 32 hex characters */
  id: string;
  recipient: Recipient;
  /** the rule of an event; null for a direct send */
  ruleId: number | null;
  /** of the catalog for a direct send, else that of the copy */
  templateKey: string;
  content: PinnedContent;
  variables: Variables;
  name: CompanyName;
  suppressed: Suppressed | null;
};

/** A message whose limits are reserved; empty for one that is never sent. */
export type CountedMessage = NewMessage & { limits: readonly LimitUse[] };

/** What a request decided for all of its messages; `ttlMs` null: they have no end. */
export type Decision = { context: SubmitContext; ttlMs: number | null; sender: Sender };

/** A fresh message id: the 32 hex characters that follow `msg_`. */
export function newMessageId(): string {
  return messageId().slice("msg_".length);
}

/** When a message of this request ends, unix ms, or null off the auth lane. */
export function expiryOf({ context, ttlMs }: Decision): number | null {
  return ttlMs === null ? null : context.now + ttlMs;
}

/**
 * Stores request, messages and events, all or nothing. Null when it is stored; the winner's row when another call with
 * the same key was first, 409 `idempotency_conflict` when that had another body. A reservation of limits is given back
 * unless the batch is stored.
 */
export async function acceptMessages(
  services: EmailServices,
  decision: Decision,
  accepted: { messages: readonly CountedMessage[]; reservation: string | null; response: object; skips?: Skips },
): Promise<SendRequestRow | null> {
  const { companyId } = decision.context;
  let winner: SendRequestRow | null;
  try {
    winner = await storeMessages(services, decision, accepted);
  } catch (error) {
    await releaseSend(services, companyId, accepted.reservation);
    throw error;
  }
  if (winner !== null) await releaseSend(services, companyId, accepted.reservation);
  return winner;
}

/** As acceptMessages, of an event that made no mail. */
export async function acceptSkips(
  services: EmailServices,
  context: SubmitContext,
  { response, skips }: { response: object; skips: Skips },
): Promise<SendRequestRow | null> {
  return store(services, context, {
    messages: null,
    request: requestOf(context, response),
    name: null,
    events: [],
    skips: skipsOf(context, skips),
  });
}

type Stored = Omit<Acceptance, "origin" | "key">;

async function storeMessages(
  services: EmailServices,
  decision: Decision,
  { messages, response, skips }: { messages: readonly CountedMessage[]; response: object; skips?: Skips },
): Promise<SendRequestRow | null> {
  const { context } = decision;
  const { idempotency } = context;
  // The only message of a request keeps its key; other requests have a row. A batch answers with more than its messages.
  const isAlone = idempotency !== null && idempotency.path !== "/api/v1/send/batch" && messages.length === 1;
  const request = isAlone ? null : requestOf(context, response);
  const ofMessage = {
    idempotency_key: isAlone ? idempotency.key : null,
    fingerprint: isAlone ? storedFingerprint(idempotency) : null,
  };
  const own = await Promise.all(
    messages.map(async (message) => ({ ...(await toRow(decision, message)), ...ofMessage })),
  );
  const shared = sharedColumns(services, decision, request?.id ?? null);
  return store(services, context, {
    messages: own.length === 0 ? null : { shared, own },
    request,
    name: messages.map((message) => message.name.store).findLast((name) => name !== null) ?? null,
    events: await suppressedEvents(decision, messages),
    skips: skips === undefined ? [] : skipsOf(context, skips),
  });
}

function sharedColumns(services: EmailServices, decision: Decision, requestId: string | null): SharedColumns {
  const { client, companyId, event, now } = decision.context;
  return {
    company_id: companyId,
    service: client.service,
    client_id: client.id,
    send_request_id: requestId,
    event_type: event.event_type,
    lane: event.lane_class,
    category: event.lane_class,
    scope: decision.sender.scope,
    accepted_at: now,
    request_id: services.requestId,
  };
}

/** The row that keeps the answer of a request with a key. */
function requestOf({ idempotency }: SubmitContext, response: object): NewRequest | null {
  if (idempotency === null) return null;
  const { key, path } = idempotency;
  return { id: newMessageId(), idempotency_key: key, path, fingerprint: storedFingerprint(idempotency), response };
}

function skipsOf({ companyId, event, now }: SubmitContext, { decisions, reason }: Skips): Bound[] {
  const day = new Date(now).toISOString().slice(0, 10);
  const skipped = { company_id: companyId, day, lane: event.lane_class, event_type: event.event_type };
  return skipStatements(decisions, reason === null ? null : { ...skipped, reason });
}

async function store(services: EmailServices, context: SubmitContext, stored: Stored): Promise<SendRequestRow | null> {
  const { client, companyId, idempotency: key, now } = context;
  const origin = { service: client.service, companyId, now };
  try {
    await storeAcceptance(services.webhooks, { origin, key, ...stored });
    return null;
  } catch (error) {
    if (!(error instanceof ConstraintError)) throw error;
    return findWinner(services, context, stored.request?.id ?? stored.messages?.own[0]?.id ?? null, error);
  }
}

/**
 * The batch was refused: another request has the key, or a lost answer made it run twice and the first run stored it.
 * `own`: the id of the request, or of its message.
 */
async function findWinner(
  services: EmailServices,
  { client, companyId, idempotency }: SubmitContext,
  own: string | null,
  cause: ConstraintError,
): Promise<SendRequestRow | null> {
  const db = services.dbOf(companyId);
  if (idempotency !== null) {
    const row = await db.first(findRequest({ service: client.service, companyId, key: idempotency.key }));
    if (row?.id === own) return null;
    if (row !== null) {
      checkFingerprint(row.fingerprint, idempotency);
      return row;
    }
  } else if (own !== null && (await db.first(findMessage({ id: own, companyId }))) !== null) {
    return null;
  }
  throw new Problem("service_unavailable", { cause });
}

/** The events of the messages that are never sent. */
async function suppressedEvents({ context }: Decision, messages: readonly CountedMessage[]): Promise<NewEvent[]> {
  const { client, companyId, event, keys, now } = context;
  const events = messages.map(({ id, recipient, templateKey, suppressed }) => {
    if (suppressed === null) return null;
    const message = {
      ...{ id, company_id: companyId, service: client.service, template_key: templateKey },
      ...{ event_type: event.event_type, lane: event.lane_class, to_user_id: recipient.userId, template_version: null },
    };
    const facts = { reason: suppressed.code };
    return messageEvent(keys, message, { status: "suppressed", to: recipient.email, facts, now });
  });
  return (await Promise.all(events)).flatMap((event) => event ?? []);
}

async function toRow(
  decision: Decision,
  message: CountedMessage,
): Promise<Omit<OwnColumns, "idempotency_key" | "fingerprint">> {
  const { context } = decision;
  const { companyId, keys, hashes } = context;
  const { id, recipient, templateKey, content, suppressed } = message;
  const { version_id, template_version, default_checksum, language } = content;
  const pinned = { version_id, template_version, default_checksum };
  const sealed = (column: "to_enc" | "variables_enc", text: string) =>
    seal(text, keys.variables, messageAad(column, companyId, id));
  const [to_enc, variables_enc] = await Promise.all([
    sealed("to_enc", recipient.email),
    suppressed === null ? sealed("variables_enc", JSON.stringify(message.variables)) : null,
  ]);
  return {
    id,
    status: suppressed === null ? "queued" : "suppressed",
    to_enc,
    to_masked: maskAddress(recipient.email),
    to_user_id: recipient.userId,
    email_hmac: hashes.get(recipient.email)?.[0] ?? "",
    variables_enc,
    template_key: templateKey,
    language: language.value,
    ...(suppressed === null ? pinned : { version_id: null, template_version: null, default_checksum: null }),
    expires_at: suppressed === null ? expiryOf(decision) : null,
    last_error_code: suppressed?.code ?? null,
    trace: toTrace(decision, message),
  };
}

/** Why a message was accepted as it is, for its status response: no address, no value of a variable. */
function toTrace({ sender }: Decision, { ruleId, name, content, suppressed, limits }: CountedMessage) {
  return {
    rule_id: ruleId,
    content: content.trace,
    language: content.language,
    company_name: { source: name.source },
    sender: { scope: sender.scope, provider: sender.provider, reason: sender.reason },
    suppression: { hit: suppressed !== null, reason: suppressed?.reason ?? null, lanes: suppressed?.lanes ?? [] },
    limits,
    delivery: [],
  };
}
