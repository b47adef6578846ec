import { bytesToHex } from "../../kit/crypto/encoding";
import { hmacHex, hmacSha256, sha256Hex } from "../../kit/crypto/hash";
import { randomFromAlphabet, randomToken, uuid } from "../../kit/crypto/random";
import { seal } from "../../kit/crypto/seal";
import { Problem } from "../../kit/problem";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-log/new-event";
import {
  type CompanyRow,
  findCompany,
  findPersonByEmail,
  findRedirectOrigin,
  type PersonRow,
} from "../account/person.store";
import { profileOf } from "../account/user.present";
import { countWithEvent, insertEvent } from "../audit/event-log.store";
import { insertMail } from "../mail/mail.store";
import type { IdentityServices } from "../services";
import { insertSignInRequest } from "./magic-link.store";

/** Letters and digits of a sign-in code: none that is mistaken for another (details 2.2). */
export const codeAlphabet = "23456789BCDFGHJKMNPQRSTVWXYZ";
const mailLifeMs = 300_000;

/** What a link request may decide on, read in one round trip. */
export type LinkContext = { company: CompanyRow | null; person: PersonRow | null; isListed: boolean };

/** Company, addressed person and allowlist row; the same three statements for every address (details 2.1). */
export async function readLinkContext(
  services: IdentityServices,
  input: { companyId: number; email: string; origin: string },
): Promise<LinkContext> {
  const { db } = services;
  const [company, person, origin] = await db.batch<[CompanyRow, PersonRow, { found: number }]>([
    findCompany.bind(db, input.companyId),
    findPersonByEmail.bind(db, input.companyId, input.email),
    findRedirectOrigin.bind(db, input.companyId, input.origin),
  ]);
  return {
    company: company.results[0] ?? null,
    person: person.results[0] ?? null,
    isListed: origin.results.length > 0,
  };
}

/** Whether sign-in by magic link works for the company: deployment and company flag, company active. */
export function isMagicLinkEffective(services: IdentityServices, company: CompanyRow | null): company is CompanyRow {
  return services.settings.magicLinkEnabled && company?.is_active === 1 && company.enable_magic_link === 1;
}

/** HMAC of company, address and typed code, hyphens and spaces cut, upper case; first key signs (details 2.2). */
export async function hashSignInCode(key: Uint8Array, companyId: number, email: string, code: string) {
  return bytesToHex(await hmacSha256(key, `${companyId}\n${email}\n${code.replace(/[\s-]/g, "").toUpperCase()}`));
}

/** The HMAC under which limits and logs may know an address. */
export async function hashAddress(services: IdentityServices, address: string): Promise<string> {
  return (await hmacHex((await services.keys()).hashes, `address\n${address}`)).slice(0, 32);
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
 * Stores request, sealed mail, event and counter in one batch and sends the mail after the answer (details 2.1 check 7,
 * 2.3). Known and unknown addresses run the same statements; `ring` starts the first attempt.
 */
export async function storeLinkRequest(
  services: IdentityServices,
  input: LinkRequest,
  ring: (mailId: string) => void,
): Promise<void> {
  const { db, settings, clock } = services;
  const keys = await services.keys();
  const [codeKey] = keys.codes;
  if (!codeKey) throw new Problem("service_unavailable");
  const { company, person, email } = input;
  const now = clock.now();
  const id = uuid();
  const mailId = uuid();
  const token = randomToken();
  const code = randomFromAlphabet(codeAlphabet, 8);
  // A preference counts as stored only when the user has a preferences row (details 2.3.5).
  const language = person?.language === "en" || person?.language === "fr" ? person.language : (input.language ?? "en");
  const member = person?.state === "allowed" && person.is_active === 1 ? person : null;
  const expiresAt = now + settings.magicLinkMs;
  const name = member ? profileOf(member).name : "";
  const mail = {
    company_id: company.id,
    template_key: "identity.auth.magic_link.requested",
    language,
    ttl_seconds: 120,
    idempotency_key: `magic-link-${id}`,
    to: [{ email, ...(member ? { user_id: member.id } : {}) }],
    variables: {
      company_name: company.name,
      magic_link_url: `${settings.issuer}/api/v1/magic-link/verify?token=${token}&company_id=${company.id}`,
      ...(name ? { recipient_name: name } : {}),
      ...(settings.signInCode ? { sign_in_code: `${code.slice(0, 4)}-${code.slice(4)}` } : {}),
      link_lifetime: describeLifetime(settings.magicLinkMs, language),
    },
    // A company's own provider or template never sees a staff link (details 2.3.4).
    ...(person?.is_staff === 1 ? { use_platform_sender: true } : {}),
  };
  const data = {
    request_id: id,
    email,
    expires_at: new Date(expiresAt).toISOString(),
    ...(member ? { user_id: member.id, language: member.language ?? "en", region: member.region ?? "UTC" } : {}),
  };
  const [tokenHash, codeHash, deviceHash, sealed] = await Promise.all([
    sha256Hex(token),
    hashSignInCode(codeKey, company.id, email, code),
    hmacHex(keys.hashes, `device\n${input.clientDeviceId}`),
    seal(JSON.stringify(mail), keys.sealing, `identity:mail_outbox:${mailId}`),
  ]);
  const batch = [
    countWithEvent.bind(db, company.id, "magic_links_requested", "", id),
    insertSignInRequest.bind(
      db,
      id,
      company.id,
      member?.id ?? null,
      email,
      tokenHash,
      settings.signInCode ? codeHash : null,
      input.redirectTo,
      input.tokenDelivery,
      input.codeChallenge,
      language,
      input.clientTimezone,
      input.clientDeviceId ? deviceHash : null,
      now,
      expiresAt,
    ),
    insertMail.bind(
      db,
      mailId,
      company.id,
      "magic_link",
      mail.idempotency_key,
      sealed,
      now,
      now + mailLifeMs,
      services.requestId,
    ),
    insertEvent.bind(
      db,
      id,
      company.id,
      "identity.auth.magic_link.requested",
      member?.id ?? null,
      email,
      storableData(data),
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      now,
    ),
  ];
  await batchWithEvents(services.actions, batch, [id]);
  ring(mailId);
}

/** The life of a link in words of the mail's language, e.g. "30 minutes", "1 heure". */
export function describeLifetime(ms: number, language: "en" | "fr"): string {
  const minutes = Math.round(ms / 60_000);
  const [count, unit] =
    minutes >= 120 && minutes % 60 === 0 ? ([minutes / 60, "hour"] as const) : ([minutes, "minute"] as const);
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count);
}
