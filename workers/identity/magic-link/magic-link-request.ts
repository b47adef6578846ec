import type { PersonRow } from "../../../db/identity/person";
import type { CompanyRow } from "../../../db/identity/schema";
import { bytesToHex } from "../../kit/crypto/encoding";
import { hmacHex, hmacSha256, sha256Hex } from "../../kit/crypto/hash";
import { randomFromAlphabet, randomToken } from "../../kit/crypto/random";
import type { Bound } from "../../kit/db/statement";
import { uuid } from "../../kit/ids";
import { iso, MINUTE_MS } from "../../kit/time";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-log/new-event";
import { personByEmailRead } from "../account/person";
import { eventEntry } from "../audit/event-log";
import { companyRead } from "../companies/company";
import { queueMail } from "../mail/mail";
import { Problem } from "../problem";
import { redirectOriginRead } from "../redirects/oauth-redirect";
import type { IdentityServices } from "../services";
import { countRequest, insertSignInRequest } from "./magic-link.store";
import { linkMail } from "./magic-link-mail";

/** Letters and digits of a sign-in code: none that is mistaken for another. */
const CODE_ALPHABET = "23456789BCDFGHJKMNPQRSTVWXYZ";
const CODE_LENGTH = 8;
const MAIL_LIFE_MS = 5 * MINUTE_MS;

/** What a link request may decide on, read in one round trip. */
export type LinkContext = { company: CompanyRow | null; person: PersonRow | null; isListed: boolean };

/** Company, addressed person and allowlist row; the same three statements for every address. */
export async function readLinkContext(
  { db }: IdentityServices,
  { companyId, email, origin }: { companyId: number; email: string; origin: string },
): Promise<LinkContext> {
  const { company, person, listed } = await db.batch({
    company: companyRead(companyId),
    person: personByEmailRead(companyId, email),
    listed: redirectOriginRead(companyId, origin),
  });
  return { company: company.first, person: person.first, isListed: listed.first !== null };
}

/** HMAC of company, address and typed code, hyphens and spaces cut, upper case; the first key signs. */
export async function hashSignInCode(key: Uint8Array, companyId: number, email: string, code: string) {
  return bytesToHex(await hmacSha256(key, `${companyId}\n${email}\n${code.replace(/[\s-]/g, "").toUpperCase()}`));
}

/** The HMAC under which limits and logs may know an address. */
export async function hashAddress(services: IdentityServices, address: string): Promise<string> {
  return (await hmacHex((await services.keys()).hashes, `address\n${address}`)).slice(0, 32);
}

/** The row of a request, for a batch; `now` and `expiresAt` are unix ms. */
export function signInRequest(request: Parameters<typeof insertSignInRequest>[0]): Bound {
  return insertSignInRequest(request);
}

type LinkRequest = {
  company: CompanyRow;
  person: PersonRow | null;
  email: string;
  redirectTo: string;
  tokenDelivery: "code" | "fragment";
  codeChallenge: string | null;
  language: "en" | "fr" | null;
  clientTimezone: string;
  clientDeviceId: string;
};

/**
 * Stores request, sealed mail, event and counter in one batch and sends the mail after the answer. Known and unknown
 * addresses run the same statements; `deliver` starts the first attempt.
 */
export async function storeLinkRequest(
  services: IdentityServices,
  input: LinkRequest,
  deliver: (mailId: string) => void,
): Promise<void> {
  const { settings, clock } = services;
  const keys = await services.keys();
  const [codeKey] = keys.codes;
  if (!codeKey) throw new Problem("service_unavailable");
  const { company, person, email, redirectTo, tokenDelivery, codeChallenge, clientTimezone, clientDeviceId } = input;
  const companyId = company.id;
  const now = clock.now();
  const expiresAt = now + settings.magicLinkMs;
  const id = uuid();
  const mailId = uuid();
  const token = randomToken();
  const code = randomFromAlphabet(CODE_ALPHABET, CODE_LENGTH);
  // A language counts as the person's own only when they have stored preferences.
  const language = person?.language === "en" || person?.language === "fr" ? person.language : (input.language ?? "en");
  const member = person?.state === "allowed" && person.is_active ? person : null;
  const userId = member?.id ?? null;
  const isToStaff = person?.is_staff ?? false;
  const mail = linkMail(services, {
    company,
    member,
    isToStaff,
    email,
    key: `magic-link-${id}`,
    language,
    token,
    code,
  });
  const [tokenHash, codeHash, deviceHash, queued] = await Promise.all([
    sha256Hex(token),
    settings.signInCode ? hashSignInCode(codeKey, companyId, email, code) : null,
    clientDeviceId ? hmacHex(keys.hashes, `device\n${clientDeviceId}`) : null,
    queueMail(services, { id: mailId, kind: "magic_link", mail, now, lifeMs: MAIL_LIFE_MS }),
  ]);
  const data = storableData({
    request_id: id,
    email,
    expires_at: iso(expiresAt),
    ...(member ? { user_id: member.id, language: member.language ?? "en", region: member.region ?? "UTC" } : {}),
  });
  const request = { id, companyId, userId, email, tokenHash, codeHash, redirectTo, tokenDelivery, codeChallenge };
  const type = "identity.auth.magic_link.requested" as const;
  await batchWithEvents(
    services.webhooks,
    {
      counted: countRequest({ companyId, name: "magic_links_requested", eventId: id }),
      request: signInRequest({ ...request, language, clientTimezone, deviceHash, now, expiresAt }),
      mail: queued,
      event: eventEntry({ eventId: id, companyId, type, userId, email, data, now }),
    },
    [{ id, company_id: companyId }],
  );
  deliver(mailId);
}
