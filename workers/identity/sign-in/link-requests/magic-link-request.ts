import type { CompanyUserRow } from "../../../../db/identity/company-user";
import type { CompanyRow, RequestingBrowser } from "../../../../db/identity/schema";
import { bytesToHex } from "../../../kit/crypto/encoding";
import { hmacHex, hmacSha256, sha256Hex } from "../../../kit/crypto/hash";
import { randomFromAlphabet, randomToken } from "../../../kit/crypto/random";
import type { Bound } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
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

/** Letters and digits of a sign-in code: none that is mistaken for another. */
const CODE_ALPHABET = "23456789BCDFGHJKMNPQRSTVWXYZ";
const CODE_LENGTH = 8;
const EVENT = "identity.auth.magic_link.requested";

/** What a link request may decide on, read in one round trip. `hasRule`: webhooks of the company hear of it. */
export type LinkContext = {
  company: CompanyRow | null;
  user: CompanyUserRow | null;
  isListed: boolean;
  hasRule: boolean;
};

/** Company, addressed person, allowlist row and webhook rule; the same four statements for every address. */
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

/** HMAC of company, address and typed code, hyphens and spaces cut, upper case; the first key signs. */
export async function hashSignInCode(key: Uint8Array, companyId: number, email: string, code: string) {
  return bytesToHex(await hmacSha256(key, `${companyId}\n${email}\n${code.replace(/[\s-]/g, "").toUpperCase()}`));
}

/** The HMAC under which limits and logs may know an address. */
export async function hashAddress(services: IdentityServices, address: string): Promise<string> {
  return (await hmacHex((await services.keys()).hashes, `address\n${address}`)).slice(0, 32);
}

const noMail = {
  askedFrom: null,
  mail: null,
  mailLease: null,
  mailLeaseEnd: null,
  mailDeadline: null,
  mailRequestId: null,
};

type NewRequest = Omit<Parameters<typeof insertSignInRequest>[0], keyof typeof noMail>;

/** The row of a request whose link nobody is mailed, for a batch; `now` and `expiresAt` are unix ms. */
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
  askedFrom: RequestingBrowser;
};

/**
 * Stores request, sealed mail and event in one batch and hands the mail over after the answer, by `deliver`. Known and unknown
 * addresses run the same statements; those that make webhooks run where the company has a rule for the event.
 */
export async function storeLinkRequest(
  services: IdentityServices,
  input: LinkRequest,
  deliver: (handOver: () => Promise<void>) => void,
): Promise<void> {
  const { settings, clock, db, webhooks } = services;
  const keys = await services.keys();
  const [codeKey] = keys.codes;
  if (!codeKey) throw new Problem("service_unavailable");
  const { company, user, email, redirectTo, tokenDelivery, codeChallenge, clientTimezone, clientDeviceId } = input;
  const companyId = company.id;
  const now = clock.now();
  const expiresAt = now + settings.magicLinkMs;
  const id = uuid();
  const token = randomToken();
  const code = randomFromAlphabet(CODE_ALPHABET, CODE_LENGTH);
  // A language counts as the person's own only when they have stored preferences.
  const language = user?.language === "en" || user?.language === "fr" ? user.language : (input.language ?? "en");
  const member = user?.state === "allowed" && user.is_active ? user : null;
  const userId = member?.id ?? null;
  const isToStaff = user?.is_staff ?? false;
  const key = `magic-link-${id}`;
  const asked = { from: input.askedFrom, now, timezone: member?.region ?? clientTimezone };
  const mail = linkMail(services, { company, member, isToStaff, email, key, language, token, code, ...asked });
  const [tokenHash, codeHash, deviceHash, { columns, handOver }] = await Promise.all([
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
      askedFrom: input.askedFrom,
      now,
      expiresAt,
      ...columns,
    }),
    event: eventEntry({ eventId: id, companyId, type: EVENT, userId, email, data, envelope, now }),
  };
  await (input.hasRule
    ? batchWithEvents(webhooks, db, statements, [{ id, company_id: companyId }])
    : db.batch(statements));
  deliver(handOver);
}
