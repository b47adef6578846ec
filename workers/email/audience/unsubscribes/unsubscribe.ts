import type { AddressedMessage, BrandingRow } from "../../../../db/email/rows";
import { base64urlToBytes, bytesToBase64url, bytesToHex, hexToBytes } from "../../../kit/crypto/encoding";
import { hmacHex, timingSafeEqual } from "../../../kit/crypto/hash";
import type { Db } from "../../../kit/db/db";
import type { EmailKeys } from "../../keys";
import { openAddress, openSubscriberAddress } from "../../records/seal/seal";
import { sealedEvent } from "../../records/webhooks/event";
import type { EmailServices } from "../../services";
import type { EmailSettings } from "../../settings";
import { insertNewsletterUnsubscribes } from "./all-newsletters.store";
import type { Subscription } from "./subscription.store";
import {
  findAddressFacts,
  findUnsubscribeFacts,
  insertUnsubscribes,
  type NewUnsubscribe,
  resubscribe,
  type UnsubscribeFacts,
} from "./unsubscribe.store";

/** The categories of mail that an address can unsubscribe from: a lane, or one newsletter by its id. */
export type UnsubscribeCategory = "transactional" | "bulk" | `list-${number}`;

/** The content of an unsubscribe token whose signature is valid. */
export type Unsubscribe = { companyId: number; category: UnsubscribeCategory; emailHmac: string };

/** How the recipient unsubscribed: with one click in the mail client, on the unsubscribe page, or at the mail provider. */
export type UnsubscribeSource = "one_click" | "page" | "provider";

/**
 * The content of the unsubscribe page, and whether the address is unsubscribed from the category of the token. `newsletter` is
 * the newsletter of the category, or null for a lane. `masked` is the masked address, or null when it is unknown.
 */
export type UnsubscribeScope = {
  companyName: string | null;
  branding: BrandingRow | null;
  masked: string | null;
  newsletter: Pick<Subscription, "list_id" | "list_name" | "public_key"> | null;
  subscriptions: readonly Subscription[];
  /** the categories that the address is unsubscribed from */
  categories: ReadonlySet<string>;
};

const CATEGORY_PATTERN = /^(?:transactional|bulk|list-[1-9]\d{0,15})$/;
const HMAC_PATTERN = "[0-9a-f]{64}|[A-Za-z0-9_-]{43}";
const TOKEN_PATTERN = new RegExp(`^([1-9]\\d{0,15})\\.([a-z0-9-]{1,30})\\.(${HMAC_PATTERN})\\.(${HMAC_PATTERN})$`);

/** Returns the newsletter id of a category, or null when the category is a lane. */
export function listOfCategory(category: string): number | null {
  return category.startsWith("list-") ? Number(category.slice("list-".length)) : null;
}

/** Returns the category that a text names, or null for any other text. */
export function readCategory(text: string): UnsubscribeCategory | null {
  if (!CATEGORY_PATTERN.test(text) || !Number.isSafeInteger(listOfCategory(text) ?? 0)) return null;
  return text as UnsubscribeCategory;
}

function sign(pepper: Uint8Array, { companyId, category, emailHmac }: Unsubscribe): Promise<string> {
  return hmacHex(pepper, `${companyId}|${emailHmac}|${category}`);
}

/** Returns an HMAC in hex as base64url, which is shorter. */
const shorten = (hex: string): string => bytesToBase64url(hexToBytes(hex));

/** Returns an HMAC of a link in hex. Earlier links have hex, later ones base64url. Returns null for any other text. */
function readHmac(text: string): string | null {
  if (text.length === 64) return text;
  try {
    return bytesToHex(base64urlToBytes(text));
  } catch {
    return null;
  }
}

/** Returns the URL of the unsubscribe page for an address and category. The URL never expires. */
export async function createUnsubscribeUrl(
  settings: Pick<EmailSettings, "publicBaseUrl" | "rawKeys">,
  companyId: number,
  category: UnsubscribeCategory,
  emailHmac: string,
): Promise<string> {
  const signature = await sign(settings.rawKeys.pepper, { companyId, category, emailHmac });
  return `${settings.publicBaseUrl}/u/${companyId}.${category}.${shorten(emailHmac)}.${shorten(signature)}`;
}

/**
 * Returns the content of a token, or null when its format or signature is invalid. Any of `peppers` may have signed the token.
 */
export async function readUnsubscribeToken(peppers: readonly Uint8Array[], token: string): Promise<Unsubscribe | null> {
  const match = TOKEN_PATTERN.exec(token);
  if (match === null) return null;
  const [, company = "", categoryText = "", addressText = "", signatureText = ""] = match;
  const companyId = Number(company);
  const category = readCategory(categoryText);
  const [emailHmac, signature] = [readHmac(addressText), readHmac(signatureText)];
  if (!Number.isSafeInteger(companyId) || category === null || emailHmac === null || signature === null) return null;
  const unsubscribe = { companyId, category, emailHmac } as const;
  for (const pepper of peppers) {
    if (timingSafeEqual(await sign(pepper, unsubscribe), signature)) return unsubscribe;
  }
  return null;
}

/** Reads the content of the page in one round trip. Returns null when the newsletter of the category does not exist. */
export async function readScope(services: EmailServices, token: Unsubscribe): Promise<UnsubscribeScope | null> {
  const facts = await findUnsubscribeFacts(services.dbOf(token.companyId), withList(token));
  return scopeOf(withList(token), facts);
}

/**
 * Unsubscribes an address from a category of company mail and returns the content of the page, or null when the newsletter of
 * the category does not exist. The category `bulk` also leaves all newsletters of the company. Only the first unsubscribe stores
 * an event. Takes two round trips.
 */
export async function unsubscribe(
  services: EmailServices,
  token: Unsubscribe,
  source: UnsubscribeSource,
): Promise<UnsubscribeScope | null> {
  const db = services.dbOf(token.companyId);
  const target = withList(token);
  const facts = await findUnsubscribeFacts(db, target);
  const scope = scopeOf(target, facts);
  if (scope === null) return null;
  await store(services, db, [{ token, ...facts }], source);
  const left = token.category === "transactional" ? () => false : leftBy(token);
  return {
    ...scope,
    categories: new Set([...scope.categories, token.category]),
    subscriptions: scope.subscriptions.map((row) => (left(row) ? { ...row, status: "unsubscribed" } : row)),
  };
}

/**
 * Unsubscribes an address from each newsletter of a company that it has a subscription to, and from no other mail. Returns the
 * content of the page. Each newsletter counts as one unsubscribe, which can be undone alone; a repeated call changes nothing. Takes
 * two round trips.
 */
export async function unsubscribeFromNewsletters(
  services: EmailServices,
  { companyId, emailHmac }: Omit<Unsubscribe, "category">,
): Promise<UnsubscribeScope> {
  const db = services.dbOf(companyId);
  const facts = await findUnsubscribeFacts(db, { companyId, emailHmac, listId: null });
  const active = facts.subscriptions.filter(({ status }) => status !== "unsubscribed");
  const now = services.clock.now();
  const keys = await services.keys();
  const details = {
    source: "page",
    to_email: await addressOf(facts, keys),
    to_user_id: facts.message?.to_user_id ?? null,
  } as const;
  const created = active.map(async ({ id, list_id }) => {
    const token = { companyId, emailHmac, category: `list-${list_id}` } as const;
    return { subscriberId: id, ...(await createdEvent(keys, token, details, now)) };
  });
  const left = await subscriptionEvents(services, "email.newsletter.unsubscribed", active, "page");
  const ended = { companyId, created: await Promise.all(created), left };
  await insertNewsletterUnsubscribes(services.webhooks, db, ended, "page", now);
  return contentOf({ ...facts, subscriptions: facts.subscriptions.map((row) => ({ ...row, status: "unsubscribed" })) });
}

/** Unsubscribes an address from the mail of several companies in two round trips. All companies must be in this database. */
export async function unsubscribeAll(
  services: EmailServices,
  db: Db,
  companyIds: readonly number[],
  { category, emailHmac }: Omit<Unsubscribe, "companyId">,
  source: UnsubscribeSource,
): Promise<void> {
  const facts = await findAddressFacts(db, companyIds, emailHmac);
  const requests = facts.map(({ companyId, ...rest }) => ({ token: { companyId, category, emailHmac }, ...rest }));
  await store(services, db, requests, source);
}

/**
 * Deletes an unsubscribe and restores the subscriptions that it ended, unless their addresses were wiped. Returns the content of
 * the page, or null when the newsletter of the category does not exist. A repeated call changes nothing. Takes two round trips.
 */
export async function undoUnsubscribe(services: EmailServices, token: Unsubscribe): Promise<UnsubscribeScope | null> {
  const db = services.dbOf(token.companyId);
  const target = withList(token);
  const facts = await findUnsubscribeFacts(db, target);
  if (scopeOf(target, facts) === null) return null;
  const events = await subscriptionEvents(services, "email.newsletter.confirmed", facts.subscriptions, "page");
  const stored = await resubscribe(services.webhooks, db, target, events, services.clock.now());
  return scopeOf(target, { ...facts, ...stored });
}

/** Returns whether a subscription that has ended can be restored. Others need a new confirmation. */
export const isRestorable = ({
  email_enc: address,
  confirmed_at: at,
}: Pick<Subscription, "email_enc" | "confirmed_at">): boolean => address !== null && at !== null;

const withList = (token: Unsubscribe) => ({ ...token, listId: listOfCategory(token.category) });

/** Returns whether unsubscribing from the category also ends a subscription. */
const leftBy =
  ({ category }: Pick<Unsubscribe, "category">) =>
  ({ list_id }: Pick<Subscription, "list_id">): boolean =>
    category === "bulk" || list_id === listOfCategory(category);

function scopeOf({ listId }: { listId: number | null }, facts: UnsubscribeFacts): UnsubscribeScope | null {
  return listId !== null && facts.newsletter === null ? null : contentOf(facts);
}

function contentOf(facts: UnsubscribeFacts): UnsubscribeScope {
  const { companyName, branding, message, newsletter, subscriptions, unsubscribes } = facts;
  const masked = message?.to_masked ?? subscriptions.find(({ email_masked }) => email_masked !== "")?.email_masked;
  const categories = new Set(unsubscribes.map((row) => row.category));
  return { companyName, branding, masked: masked ?? null, newsletter, subscriptions, categories };
}

type UnsubscribeRequest = {
  token: Unsubscribe;
  message: AddressedMessage | null;
  subscriptions: readonly Subscription[];
};

async function store(
  services: EmailServices,
  db: Db,
  requests: readonly UnsubscribeRequest[],
  source: UnsubscribeSource,
): Promise<void> {
  const now = services.clock.now();
  const keys = await services.keys();
  const newUnsubscribes = requests.map(async ({ token, message, subscriptions }): Promise<NewUnsubscribe> => {
    const left = token.category === "transactional" ? [] : subscriptions.filter(leftBy(token));
    const to_email = await addressOf({ message, subscriptions }, keys);
    return {
      ...withList(token),
      event: await createdEvent(keys, token, { source, to_email, to_user_id: message?.to_user_id ?? null }, now),
      left: await subscriptionEvents(services, "email.newsletter.unsubscribed", left, source),
    };
  });
  await insertUnsubscribes(services.webhooks, db, await Promise.all(newUnsubscribes), source, now);
}

/** Returns the event of a new unsubscribe. `now` is in ms since the epoch. */
function createdEvent(
  keys: Pick<EmailKeys, "variables">,
  { companyId, category, emailHmac }: Unsubscribe,
  details: { source: UnsubscribeSource; to_email: string | null; to_user_id: number | null },
  now: number,
) {
  const data = { category, email_hmac: emailHmac, newsletter_id: listOfCategory(category), ...details };
  return sealedEvent(keys, { type: "email.unsubscribe.created", companyId, data, now });
}

/** Returns the address from a stored message or subscriber, because a token contains only a hash. Null when it is unknown. */
async function addressOf(
  { message, subscriptions }: Pick<UnsubscribeRequest, "message" | "subscriptions">,
  keys: Pick<EmailKeys, "variables">,
): Promise<string | null> {
  if (message !== null) return openAddress(message, keys);
  const stored = subscriptions.find(({ email_enc }) => email_enc !== null);
  return stored === undefined ? null : openSubscriberAddress(stored, keys);
}

/** Returns an event for each subscription, which is stored only if the subscription changes. */
async function subscriptionEvents(
  services: Pick<EmailServices, "keys" | "clock">,
  type: "email.newsletter.confirmed" | "email.newsletter.unsubscribed",
  subscriptions: readonly Subscription[],
  source: UnsubscribeSource,
) {
  const keys = await services.keys();
  const now = services.clock.now();
  const events = subscriptions.map(async (row) => {
    const { id, list_id, list_name, language, company_id: companyId } = row;
    const data = { list_id, list_name, email: await openSubscriberAddress(row, keys), language, source };
    return { subscriberId: id, ...(await sealedEvent(keys, { type, companyId, data, now })) };
  });
  return Promise.all(events);
}
