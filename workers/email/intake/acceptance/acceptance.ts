import type { SendRequestRow } from "../../../../db/email/rows";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import { ConstraintError } from "../../../kit/db/db";
import type { Bound } from "../../../kit/db/statement";
import { messageId } from "../../../kit/ids";
import type { Suppressed } from "../../audience/suppression/suppression";
import type { PinnedContent } from "../../content/documents/content";
import type { Variables } from "../../content/tokens/values";
import type { DirectTrace } from "../../delivery/messages/stored-trace";
import type { Sender } from "../../delivery/sender/sender";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { type LimitUsage, releaseSend } from "../limits/limits";
import { countLate, findMessage, type NewRequest, type StoredAcceptance, storeAcceptance } from "./acceptance.store";
import { checkFingerprint, type Idempotency, storedFingerprint } from "./idempotency";
import { findRequest } from "./idempotency.store";
import { messageRow, sharedColumns, suppressedEvents } from "./message-row";

/** Who requested the mail: a service, or the email service itself, for example for a broadcast. */
export type Origin = {
  companyId: number;
  service: string;
  /** null: the email service itself */
  clientId: number | null;
  /** null: a repeated request sends the mail again */
  idempotency: Idempotency | null;
  /** the time of acceptance, unix ms */
  now: number;
};

/** The properties that all messages of one request share. */
export type MailKind<L extends Lane = Lane> = {
  eventType: string;
  lane: L;
  /** the category that recipients can unsubscribe from */
  category: string;
  /** whether the event type has its own limit per recipient */
  hasSeparateLimit: boolean;
};

/** The decisions for all messages of one request. `ttlMs` null: the messages do not expire. */
export type Acceptance<L extends Lane = Lane> = {
  origin: Origin;
  kind: MailKind<L>;
  sender: Pick<Sender, "scope" | "provider" | "reason">;
  ttlMs: number | null;
  /** the id of the stored attachments, which all messages share */
  attachmentsId?: string | null;
};

/** A message to accept. A message with `suppressed` is stored but never sent. */
export type NewMessage = {
  /** 32 hex characters */
  id: string;
  /** `path` is the position of the recipient in the request, for field errors */
  recipient: { email: string; userId: number | null; path: string };
  /** hashes with the current pepper. `person` is the hash of the address without its subaddress. */
  hashes: { address: string; person: string };
  /** the email rule that created the message; null: a direct send */
  ruleId: number | null;
  /** for a direct send, the key in the catalog; else the key of the custom template */
  templateKey: string;
  content: PinnedContent;
  variables: Variables;
  /** the source of the company name, and the name to store for later mail */
  name: { source: string; store: string | null };
  suppressed: Suppressed | null;
  /** the event type, when it differs from the one in `MailKind` */
  eventType?: string;
  /** the time before which the message is not sent, in unix ms; absent: at once */
  scheduledAt?: number | null;
  /** the labels and the From address of a direct mail, for the trace */
  direct?: DirectTrace;
};

/** A message with the limits that count it. */
export type CountedMessage = NewMessage & { limits: readonly LimitUsage[] };

/** Returns the statement that counts new messages that the roll-up has already passed. It must follow their insertion. */
export const countLateMessages = (ids: readonly string[]): Bound => countLate({ ids });

/** Returns a new message id without `msg_`: 32 hex characters. */
export function newMessageId(): string {
  return messageId().slice("msg_".length);
}

/**
 * Stores messages, events and `statements` in one transaction. A request with an idempotency key is stored with its response.
 * Returns null on success. When another call with the same key was stored first, returns that request, or throws 409
 * `idempotency_conflict` if its body was different. Releases the reserved limits unless the transaction succeeds.
 */
export async function acceptMessages(
  services: EmailServices,
  acceptance: Acceptance,
  accepted: {
    messages: readonly CountedMessage[];
    reservation?: string | null;
    response?: object;
    statements?: readonly Bound[];
  },
): Promise<SendRequestRow | null> {
  const { messages, reservation = null, response = {}, statements = [] } = accepted;
  const { companyId } = acceptance.origin;
  let winner: SendRequestRow | null;
  try {
    winner = await storeMessages(services, acceptance, { messages, response, statements });
  } catch (error) {
    await releaseSend(services, companyId, reservation);
    throw error;
  }
  if (winner !== null) await releaseSend(services, companyId, reservation);
  return winner;
}

/** Like `acceptMessages`, for a request that creates no mail. */
export function acceptResponse(
  services: EmailServices,
  origin: Origin,
  { response, statements }: { response: object; statements: readonly Bound[] },
): Promise<SendRequestRow | null> {
  const request = requestOf(origin, response);
  return store(services, origin, { messages: null, request, name: null, events: [], statements });
}

type AcceptanceData = Omit<StoredAcceptance, "origin" | "key">;

async function storeMessages(
  services: EmailServices,
  acceptance: Acceptance,
  {
    messages,
    response,
    statements,
  }: { messages: readonly CountedMessage[]; response: object } & Pick<AcceptanceData, "statements">,
): Promise<SendRequestRow | null> {
  const { origin } = acceptance;
  const { idempotency } = origin;
  // If a request has one message, the message row stores the key. Other requests have a row in send_requests. So does every
  // batch, because its response has fields that a message row cannot store.
  const isSingle = idempotency !== null && !idempotency.path.endsWith("/batch") && messages.length === 1;
  const request = isSingle ? null : requestOf(origin, response);
  const key = {
    idempotency_key: isSingle ? idempotency.key : null,
    fingerprint: isSingle ? storedFingerprint(idempotency) : null,
  };
  const keys = await services.keys();
  const itemRows = await Promise.all(
    messages.map(async (message) => ({ ...(await messageRow(acceptance, message, keys)), ...key })),
  );
  const shared = sharedColumns(acceptance, { sendRequestId: request?.id ?? null, requestId: services.requestId });
  return store(services, origin, {
    messages: itemRows.length === 0 ? null : { shared, items: itemRows },
    request,
    name: messages.map((message) => message.name.store).findLast((name) => name !== null) ?? null,
    events: await suppressedEvents(acceptance, messages, keys),
    statements,
  });
}

/** Returns the row that stores the response, or null when the request has no idempotency key. */
function requestOf({ idempotency }: Origin, response: object): NewRequest | null {
  if (idempotency === null) return null;
  const { key, path } = idempotency;
  return { id: newMessageId(), idempotency_key: key, path, fingerprint: storedFingerprint(idempotency), response };
}

async function store(services: EmailServices, origin: Origin, data: AcceptanceData): Promise<SendRequestRow | null> {
  try {
    await storeAcceptance(services.webhooks, { origin, key: origin.idempotency, ...data });
    return null;
  } catch (error) {
    if (!(error instanceof ConstraintError)) throw error;
    return findWinner(services, origin, data.request?.id ?? data.messages?.items[0]?.id ?? null, error);
  }
}

/**
 * Resolves a constraint error, which means that another request has the key, or that an earlier try of this call has stored the
 * rows. Returns the other request, or null for an earlier try. `id` is the id of this request or of its first message.
 */
async function findWinner(
  services: EmailServices,
  { service, companyId, idempotency }: Origin,
  id: string | null,
  cause: ConstraintError,
): Promise<SendRequestRow | null> {
  const db = services.dbOf(companyId);
  if (idempotency !== null) {
    const row = await db.first(findRequest({ service, companyId, key: idempotency.key }));
    if (row?.id === id) return null;
    if (row !== null) {
      checkFingerprint(row.fingerprint, idempotency);
      return row;
    }
  } else if (id !== null && (await db.first(findMessage({ id, companyId }))) !== null) {
    return null;
  }
  throw new Problem("service_unavailable", { cause });
}
