import type { SendRequestRow } from "../../../../db/email/rows";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import { ConstraintError } from "../../../kit/db/db";
import type { Bound } from "../../../kit/db/statement";
import { messageId } from "../../../kit/ids";
import type { Suppressed } from "../../audience/suppression/suppression";
import type { Variables } from "../../content/catalog/variables";
import type { PinnedContent } from "../../content/documents/content";
import type { Sender } from "../../delivery/sender/sender";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { type LimitUsage, releaseSend } from "../limits/limits";
import { findMessage, type NewRequest, type StoredAcceptance, storeAcceptance } from "./acceptance.store";
import { checkFingerprint, type Idempotency, storedFingerprint } from "./idempotency";
import { findRequest } from "./idempotency.store";
import { messageRow, sharedColumns, suppressedEvents } from "./message-row";

/** Who asks for mail: a service by its request, or email itself, as for a broadcast. */
export type Origin = {
  companyId: number;
  service: string;
  /** null: email itself */
  clientId: number | null;
  /** null: what is asked again is accepted again */
  idempotency: Idempotency | null;
  /** the time of acceptance, unix ms */
  now: number;
};

/** What all messages of one acceptance are about. */
export type MailKind<L extends Lane = Lane> = {
  eventType: string;
  lane: L;
  /** what people unsubscribe from */
  category: string;
  /** the limit of a recipient counts it by itself */
  hasSeparateLimit: boolean;
};

/** What is decided for all messages of one acceptance; `ttlMs` null: they have no end. */
export type Acceptance<L extends Lane = Lane> = {
  origin: Origin;
  kind: MailKind<L>;
  sender: Pick<Sender, "scope" | "provider" | "reason">;
  ttlMs: number | null;
};

/** One message to be accepted; `suppressed` makes a row that is never sent. */
export type NewMessage = {
  /** 32 hex characters */
  id: string;
  /** `path` is where the request names the recipient, for its errors */
  recipient: { email: string; userId: number | null; path: string };
  /** hashes by the present pepper: of the address, and of the person whom all of its subaddresses belong to */
  hashes: { address: string; person: string };
  /** the rule of an event; null: sent by no rule */
  ruleId: number | null;
  /** of the catalog for a direct send, else that of the copy */
  templateKey: string;
  content: PinnedContent;
  variables: Variables;
  /** where the company name comes from, and the name to keep for later mail */
  name: { source: string; store: string | null };
  suppressed: Suppressed | null;
};

/** A message whose limits are reserved; empty for one that counts in none. */
export type CountedMessage = NewMessage & { limits: readonly LimitUsage[] };

/** A fresh message id: the 32 hex characters that follow `msg_`. */
export function newMessageId(): string {
  return messageId().slice("msg_".length);
}

/**
 * Stores messages and events in one batch, all or nothing, whatever their number; with the request and its response where
 * it can be repeated, and with further statements of the caller. Returns null when it is stored; the row of the winner when
 * another call with the same key was first, 409 `idempotency_conflict` when that had another body. A reservation of limits
 * is given back unless the batch is stored.
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

/** As `acceptMessages`, for a request that made no mail. */
export function acceptResponse(
  services: EmailServices,
  origin: Origin,
  { response, statements }: { response: object; statements: readonly Bound[] },
): Promise<SendRequestRow | null> {
  const request = requestOf(origin, response);
  return store(services, origin, { messages: null, request, name: null, events: [], statements });
}

type Stored = Omit<StoredAcceptance, "origin" | "key">;

async function storeMessages(
  services: EmailServices,
  acceptance: Acceptance,
  {
    messages,
    response,
    statements,
  }: { messages: readonly CountedMessage[]; response: object } & Pick<Stored, "statements">,
): Promise<SendRequestRow | null> {
  const { origin } = acceptance;
  const { idempotency } = origin;
  // The only message of a request keeps its key; other requests have a row. A batch answers with more than its messages.
  const isAlone = idempotency !== null && idempotency.path !== "/api/v1/send/batch" && messages.length === 1;
  const request = isAlone ? null : requestOf(origin, response);
  const key = {
    idempotency_key: isAlone ? idempotency.key : null,
    fingerprint: isAlone ? storedFingerprint(idempotency) : null,
  };
  const keys = await services.keys();
  const itemRows = await Promise.all(
    messages.map(async (message) => ({ ...(await messageRow(acceptance, message, keys)), ...key })),
  );
  const shared = sharedColumns(acceptance, { sendRequestId: request?.id ?? null, requestId: services.requestId });
  return store(services, origin, {
    messages: itemRows.length === 0 ? null : { shared, own: itemRows },
    request,
    name: messages.map((message) => message.name.store).findLast((name) => name !== null) ?? null,
    events: await suppressedEvents(acceptance, messages, keys),
    statements,
  });
}

/** The row that keeps the response of a request with a key. */
function requestOf({ idempotency }: Origin, response: object): NewRequest | null {
  if (idempotency === null) return null;
  const { key, path } = idempotency;
  return { id: newMessageId(), idempotency_key: key, path, fingerprint: storedFingerprint(idempotency), response };
}

async function store(services: EmailServices, origin: Origin, stored: Stored): Promise<SendRequestRow | null> {
  try {
    await storeAcceptance(services.webhooks, { origin, key: origin.idempotency, ...stored });
    return null;
  } catch (error) {
    if (!(error instanceof ConstraintError)) throw error;
    return findWinner(services, origin, stored.request?.id ?? stored.messages?.own[0]?.id ?? null, error);
  }
}

/**
 * The batch was refused: another request has the key, or a lost answer made it run twice and the first run stored it.
 * `own`: the id of the request, or of its first message.
 */
async function findWinner(
  services: EmailServices,
  { service, companyId, idempotency }: Origin,
  itemRows: string | null,
  cause: ConstraintError,
): Promise<SendRequestRow | null> {
  const db = services.dbOf(companyId);
  if (idempotency !== null) {
    const row = await db.first(findRequest({ service, companyId, key: idempotency.key }));
    if (row?.id === itemRows) return null;
    if (row !== null) {
      checkFingerprint(row.fingerprint, idempotency);
      return row;
    }
  } else if (itemRows !== null && (await db.first(findMessage({ id: itemRows, companyId }))) !== null) {
    return null;
  }
  throw new Problem("service_unavailable", { cause });
}
