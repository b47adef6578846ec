import type { CompanyUserRow } from "../../../../db/identity/conditions/company-user";
import type { CompanyRow, RequestingBrowser } from "../../../../db/identity/schema";
import { memoizePerIsolate } from "../../../kit/memoize-per-isolate";
import { MINUTE_MS } from "../../../kit/time";
import { describeCountry, describeDevice, describeTime } from "../../caller/client/device";
import { mailedNameOf } from "../../company/company/company";
import type { IdentityServices } from "../../services";
import { greetedName } from "../../users/profiles/company-user";

/** The email service drops a sign-in mail that it could not deliver within this time. */
const MAIL_TTL_SECONDS = 120;

type MailedLink = {
  company: CompanyRow;
  /** the addressed user, if they are an allowed member */
  member: CompanyUserRow | null;
  isToStaff: boolean;
  email: string;
  /** idempotency key */
  key: string;
  language: "en" | "fr";
  token: string;
  code: string;
  /** the requesting browser; `now` is the time of the request (unix ms) and `timezone` its time zone */
  from: Pick<RequestingBrowser, "device" | "country">;
  now: number;
  timezone: string;
};

/** Returns the sign-in mail. Its variables: docs/specification/identity-mails.md#sign-in-mail */
export function linkMail(
  services: IdentityServices,
  { company, member, isToStaff, email, key, language, token, code, from, now, timezone }: MailedLink,
) {
  const { settings } = services;
  const device = describeDevice(from.device ?? "", language);
  const country = describeCountry(from.country, language);
  const name = member ? greetedName(member) : "";
  return {
    company_id: company.id,
    template_key: "identity.auth.magic_link.requested",
    language,
    ttl_seconds: MAIL_TTL_SECONDS,
    idempotency_key: key,
    to: [{ email, ...(member ? { user_id: member.id } : {}) }],
    variables: {
      company_name: mailedNameOf(company),
      magic_link_url: linkOf(services, token, company.id),
      ...(name ? { recipient_name: name } : {}),
      ...(settings.signInCode ? { sign_in_code: `${code.slice(0, 4)}-${code.slice(4)}` } : {}),
      link_lifetime: describeLifetime(settings.magicLinkMs, language),
      requested_at: describeTime(now, timezone, language),
      ...(device ? { device } : {}),
      ...(country ? { country } : {}),
    },
    // Mails to staff use the platform's sender, so that a company's own mail provider or template never sees a staff link.
    ...(isToStaff ? { use_platform_sender: true } : {}),
  };
}

/** Returns the URL of the confirmation page for a raw token. */
export function linkOf({ settings }: IdentityServices, token: string, companyId: number): string {
  return `${settings.issuer}/api/v1/magic-link/verify?token=${token}&company_id=${companyId}`;
}

const unitFormat = memoizePerIsolate(
  6,
  (language: "en" | "fr", unit: "day" | "hour" | "minute") =>
    new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }),
);

/** Formats the lifetime of a link (ms) in the mail's language, e.g. "30 minutes", "2 heures", "14 days". */
export function describeLifetime(ms: number, language: "en" | "fr"): string {
  const minutes = Math.round(ms / MINUTE_MS);
  const units = [["day", 24 * 60] as const, ["hour", 60] as const];
  const [unit, size] = units.find(([, size]) => minutes >= 2 * size && minutes % size === 0) ?? ["minute", 1];
  return unitFormat(language, unit).format(minutes / size);
}
