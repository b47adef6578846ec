import type { AddressedMessage } from "../../../../db/email/rows";
import { hmacHex, timingSafeEqual } from "../../../kit/crypto/hash";
import type { Db } from "../../../kit/db/db";
import { openAddress } from "../../records/seal/seal";
import { sealedEvent } from "../../records/webhooks/event";
import type { EmailServices } from "../../services";
import type { EmailSettings } from "../../settings";
import {
  findLatestMessages,
  findUnsubscribeScope,
  insertUnsubscribes,
  type NewUnsubscribe,
  type UnsubscribeScope,
} from "./unsubscribe.store";

/** The categories of mail that an address can unsubscribe from. */
export type UnsubscribeCategory = "transactional" | "bulk";

/** The content of an unsubscribe token whose signature is valid. */
export type Unsubscribe = { companyId: number; category: UnsubscribeCategory; emailHmac: string };

/** How the recipient unsubscribed: with one click in the mail client, on the unsubscribe page, or at the mail provider. */
export type UnsubscribeSource = "one_click" | "page" | "provider";

const TOKEN_PATTERN = /^([1-9]\d{0,15})\.(transactional|bulk)\.([0-9a-f]{64})\.([0-9a-f]{64})$/;

function sign(pepper: Uint8Array, { companyId, category, emailHmac }: Unsubscribe): Promise<string> {
  return hmacHex(pepper, `${companyId}|${emailHmac}|${category}`);
}

/** Returns the URL of the unsubscribe page for an address and category. The URL never expires. */
export async function createUnsubscribeUrl(
  settings: Pick<EmailSettings, "publicBaseUrl" | "rawKeys">,
  companyId: number,
  category: UnsubscribeCategory,
  emailHmac: string,
): Promise<string> {
  const signature = await sign(settings.rawKeys.pepper, { companyId, category, emailHmac });
  return `${settings.publicBaseUrl}/u/${companyId}.${category}.${emailHmac}.${signature}`;
}

/**
 * Returns the content of a token, or null when its format or signature is invalid. Any of `peppers` may have signed the token.
 */
export async function readUnsubscribeToken(peppers: readonly Uint8Array[], token: string): Promise<Unsubscribe | null> {
  const match = TOKEN_PATTERN.exec(token);
  if (match === null) return null;
  const [, company = "", category = "", emailHmac = "", signature = ""] = match;
  const companyId = Number(company);
  if (!Number.isSafeInteger(companyId) || (category !== "transactional" && category !== "bulk")) return null;
  const unsubscribe = { companyId, category, emailHmac } as const;
  for (const pepper of peppers) {
    if (timingSafeEqual(await sign(pepper, unsubscribe), signature)) return unsubscribe;
  }
  return null;
}

/** Returns the action in a form body. The page sends `source=page` or `action=undo`. Any other body is a one-click request. */
export function readUnsubscribeBody(body: string): UnsubscribeSource | "undo" {
  const form = new URLSearchParams(body);
  if (form.get("action") === "undo") return "undo";
  return form.get("source") === "page" ? "page" : "one_click";
}

/**
 * Unsubscribes an address from a category of company mail and returns the content of the page. Only the first unsubscribe
 * stores an event. The event takes the address from a stored message, because the token contains only a hash.
 */
export async function unsubscribe(
  services: EmailServices,
  token: Unsubscribe,
  source: UnsubscribeSource,
): Promise<UnsubscribeScope> {
  const db = services.dbOf(token.companyId);
  const scope = await findUnsubscribeScope(db, token);
  await store(services, db, [{ token, message: scope.message }], source);
  return scope;
}

/** Unsubscribes an address from the mail of several companies in two round trips. All companies must be in this database. */
export async function unsubscribeAll(
  services: EmailServices,
  db: Db,
  companyIds: readonly number[],
  { category, emailHmac }: Omit<Unsubscribe, "companyId">,
  source: UnsubscribeSource,
): Promise<void> {
  const messages = await findLatestMessages(db, companyIds, emailHmac);
  const requests = companyIds.map((companyId, index) => ({
    token: { companyId, category, emailHmac },
    message: messages[index] ?? null,
  }));
  await store(services, db, requests, source);
}

type UnsubscribeRequest = { token: Unsubscribe; message: AddressedMessage | null };

async function store(
  services: EmailServices,
  db: Db,
  requests: readonly UnsubscribeRequest[],
  source: UnsubscribeSource,
): Promise<void> {
  const now = services.clock.now();
  const keys = await services.keys();
  const newUnsubscribes = requests.map(async ({ token, message }): Promise<NewUnsubscribe> => {
    const data = {
      category: token.category,
      source,
      email_hmac: token.emailHmac,
      newsletter_id: null,
      to_email: message && (await openAddress(message, keys)),
      to_user_id: message?.to_user_id ?? null,
    };
    const type = "email.unsubscribe.created";
    return { ...token, event: await sealedEvent(keys, { type, companyId: token.companyId, data, now }) };
  });
  await insertUnsubscribes(services.webhooks, db, await Promise.all(newUnsubscribes), source, now);
}
