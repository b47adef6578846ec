import type { CompanyUserRow } from "../../../../db/identity/conditions/company-user";
import type { CompanyRow, RequestingBrowser } from "../../../../db/identity/schema";
import { bytesToHex } from "../../../kit/crypto/encoding";
import { hmacHex, hmacSha256, sha256Hex } from "../../../kit/crypto/hash";
import { randomFromAlphabet, randomToken } from "../../../kit/crypto/random";
import type { Bound } from "../../../kit/db/statement";
import { iso } from "../../../kit/time";
import { batchWithEvents, storableData } from "../../../kit/webhooks/event-store/new-event";
import { envelopeOf } from "../../../kit/webhooks/events/envelope";
import { selectSubscribedRule } from "../../../kit/webhooks/subscriptions/subscription";
import { selectCompany } from "../../company/company/company";
import { selectListedOrigin } from "../../company/redirects/oauth-redirect";
import { linkMailOf } from "../../mail/outbox/mail";
import { Problem } from "../../problem";
import { eventEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { selectUserByEmail } from "../../users/profiles/company-user";
import { insertSignInRequest } from "./magic-link.store";
import { linkMail } from "./magic-link-mail";

/** The letters and digits of a sign-in code, without those that look alike. */
const CODE_ALPHABET = "23456789BCDFGHJKMNPQRSTVWXYZ";
const CODE_LENGTH = 8;
const EVENT = "identity.auth.magic_link.requested";

/**
 * The rows that a link request depends on, read in one round trip. `hasRule` is true when a webhook of the company is
 * subscribed to the event.
 */
export type LinkContext = {
  company: CompanyRow | null;
  user: CompanyUserRow | null;
  isListed: boolean;
  hasRule: boolean;
};

/**
 * Reads company, user, allowlist row and webhook subscription. The statements are the same for every address, so that the
 * response time does not reveal whether the address has an account.
 */
export async function readLinkContext(
  { db }: IdentityServices,
  { companyId, email, origin }: { companyId: number; email: string; origin: string },
): Promise<LinkContext> {
  const { company, user, listed, rule } = await db.batch({
    company: selectCompany(companyId),
    user: selectUserByEmail(companyId, email),
    listed: selectListedOrigin(companyId, origin),
    rule: selectSubscribedRule(companyId, EVENT),
  });
  return {
    company: company.first,
    user: user.first,
    isListed: listed.first !== null,
    hasRule: rule.first !== null,
  };
}

/** Returns the HMAC (hex) of company, address and typed code. Ignores the code's hyphens, spaces and letter case. */
export async function hashSignInCode(key: Uint8Array, companyId: number, email: string, code: string) {
  return bytesToHex(await hmacSha256(key, `${companyId}\n${email}\n${code.replace(/[\s-]/g, "").toUpperCase()}`));
}

/** Returns the HMAC that replaces an address in rate limits and logs. */
export async function hashAddress(services: IdentityServices, address: string): Promise<string> {
  return (await hmacHex((await services.keys()).hashes, `address\n${address}`)).slice(0, 32);
}

const noMail = {
  requestingBrowser: null,
  mail: null,
  mailLease: null,
  mailLeaseEnd: null,
  mailDeadline: null,
  mailRequestId: null,
};

type NewRequest = Omit<Parameters<typeof insertSignInRequest>[0], keyof typeof noMail>;

/** Returns the statement that inserts a sign-in request without a mail. `now` and `expiresAt` are unix ms. */
export function unmailedRequest(request: NewRequest): Bound {
  return insertSignInRequest({ ...request, ...noMail });
}

type LinkRequest = {
  company: CompanyRow;
  user: CompanyUserRow | null;
  hasRule: boolean;
  email: string;
  redirectTo: string;
  tokenDelivery: "code" | "fragment";
  codeChallenge: string | null;
  language: "en" | "fr" | null;
  clientTimezone: string;
  clientDeviceId: string;
  requestingBrowser: RequestingBrowser;
};

/**
 * Stores the request, its sealed mail and its event in one batch. Then passes `deliver` the function that sends the mail, to
 * be called after the response. Known and unknown addresses run the same statements. Webhook deliveries are created only if
 * the company is subscribed to the event.
 */
export async function storeLinkRequest(
  services: IdentityServices,
  input: LinkRequest,
  deliver: (sendNow: () => Promise<void>) => void,
): Promise<void> {
  const { settings, clock, db, webhooks } = services;
  const keys = await services.keys();
  const [codeKey] = keys.codes;
  if (!codeKey) throw new Problem("service_unavailable");
  const { company, user, email, redirectTo, tokenDelivery, codeChallenge, clientTimezone, clientDeviceId } = input;
  const companyId = company.id;
  const now = clock.now();
  const expiresAt = now + settings.magicLinkMs;
  const id = services.newEventId();
  const token = randomToken();
  const code = randomFromAlphabet(CODE_ALPHABET, CODE_LENGTH);
  // The language in a user's stored preferences takes precedence over the language of the request.
  const language = user?.language === "en" || user?.language === "fr" ? user.language : (input.language ?? "en");
  const member = user?.state === "allowed" && user.is_active ? user : null;
  const userId = member?.id ?? null;
  const isToStaff = user?.is_staff ?? false;
  const key = `magic-link-${id}`;
  const origin = { from: input.requestingBrowser, now, timezone: member?.region ?? clientTimezone };
  const mail = linkMail(services, { company, member, isToStaff, email, key, language, token, code, ...origin });
  const [tokenHash, codeHash, deviceHash, { columns, sendNow }] = await Promise.all([
    sha256Hex(token),
    settings.signInCode ? hashSignInCode(codeKey, companyId, email, code) : null,
    clientDeviceId ? hmacHex(keys.hashes, `device\n${clientDeviceId}`) : null,
    linkMailOf(services, id, mail, now),
  ]);
  const data = storableData({
    request_id: id,
    email,
    expires_at: iso(expiresAt),
    ...(member ? { user_id: member.id, language: member.language ?? "en", region: member.region ?? "UTC" } : {}),
  });
  const { name, slug } = company;
  const envelope = envelopeOf({ id, type: EVENT, company: { id: companyId, name, slug }, data, now });
  const request = { id, companyId, userId, email, tokenHash, codeHash, redirectTo, tokenDelivery, codeChallenge };
  const statements = {
    request: insertSignInRequest({
      ...request,
      language,
      clientTimezone,
      deviceHash,
      requestingBrowser: input.requestingBrowser,
      now,
      expiresAt,
      ...columns,
    }),
    event: eventEntry({ eventId: id, companyId, type: EVENT, userId, email, data, envelope, now }),
  };
  await (input.hasRule
    ? batchWithEvents(webhooks, db, statements, [{ id, company_id: companyId }])
    : db.batch(statements));
  deliver(sendNow);
}
