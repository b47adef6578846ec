import { PUBLIC_KEY_PATTERN } from "../../../../schemas/email/audience/sign-up";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { choosePageLanguage } from "../../../kit/http/request/page-language";
import { toCounters, toRetryAfterSeconds } from "../../../kit/limits/limiter";
import { Problem as AnyProblem, invalid } from "../../../kit/problem";
import { releaseSend, reserveCompanyMail } from "../../intake/limits/limits";
import { hashesOf, hashPeople } from "../../intake/submission/people";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import {
  type ConfirmationFacts,
  handOverConfirmations,
  prepareConfirmation,
  requireConfirmationSender,
} from "../newsletters/confirmation";
import { openTurnstileSecret } from "../newsletters/newsletter";
import { clientName, findLimited } from "./lookup";
import { readOrigins, readSignUpList } from "./sign-up.store";
import type { SignUpInput } from "./sign-up-input";
import { verifyTurnstile } from "./turnstile";

/** A newsletter with the look of its company. `facts` are those of its confirmation mail; null when they were not read. */
export type SignUpList = NonNullable<Awaited<ReturnType<typeof readSignUpList>>>;

const keyPattern = new RegExp(PUBLIC_KEY_PATTERN);

/** Returns whether a text has the form of a public key. */
export const isPublicKey = (text: string): boolean => keyPattern.test(text);

/**
 * Returns the newsletter with a public key, for its page. Throws 404 `newsletter_not_found`, or 429 `rate_limited` for too many
 * unknown keys.
 */
export async function requireList(
  services: EmailServices,
  request: Request,
  publicKey: string,
  withFacts = false,
): Promise<SignUpList> {
  if (!isPublicKey(publicKey)) throw new Problem("newsletter_not_found");
  const read = () => readSignUpList(services.platformDb, publicKey, withFacts);
  const list = await findLimited(services, request, publicKey, read);
  if (list === null) throw new Problem("newsletter_not_found");
  return list;
}

/** Returns the origins whose scripts may sign people up; empty: all. Null when the newsletter does not exist. */
export async function originsOfList(
  services: EmailServices,
  request: Request,
  publicKey: string,
): Promise<readonly string[] | null> {
  if (!isPublicKey(publicKey)) return null;
  return findLimited(services, request, publicKey, () => readOrigins(services.platformDb, publicKey));
}

/**
 * Signs an address up: stores the subscriber and a confirmation mail. Checks in the order of
 * docs/specification/email-newsletter-sign-up.md#sign-up. Takes two round trips, with the same statements for every address, so that
 * neither result nor duration says whether the address is subscribed, suppressed or just got a mail.
 */
export async function signUp(
  services: EmailServices,
  request: Request,
  list: SignUpList,
  input: SignUpInput,
): Promise<void> {
  checkOrigin(services, request, list);
  if (input.isBot) return;
  const { email, errors } = input;
  if (email === null || Object.keys(errors).length > 0) throw invalid(errors);
  const { newsletter, facts } = list;
  if (facts === null) throw new Error("a valid sign-up is read with the facts of its mail");
  const { ipPerHour, listPerHour } = services.settings.newsletters;
  await reserve(services, await clientName(services, request), toCounters("newsletter", ipPerHour));
  await reserve(services, `newsletter:${newsletter.id}`, toCounters("sign-ups", listPerHour));
  const keys = await services.keys();
  const secret = await openTurnstileSecret(newsletter, keys);
  if (secret !== null) {
    const ip = request.headers.get("CF-Connecting-IP");
    await verifyTurnstile(services, { secret, token: input.turnstileToken, ip });
  }
  const sender = await requireSender(services, newsletter.company_id, facts);
  const reservation = await reserveCompanyMail(services, newsletter.company_id, "transactional");
  try {
    const people = await hashPeople([email], keys);
    const recipient = {
      email,
      hashes: people.hashes.get(email) ?? [],
      person: hashesOf(people, email).person,
      firstName: input.firstName,
      language: languageOf(request, input, list),
      source: "form" as const,
    };
    const now = services.clock.now();
    const prepared = await prepareConfirmation(services, {
      list: newsletter,
      facts,
      sender,
      recipients: [recipient],
      now,
    });
    const { outcomes } = await services.dbOf(newsletter.company_id).batch(prepared.statements);
    await handOverConfirmations(services, newsletter.company_id, prepared, outcomes.rows);
  } catch (error) {
    await releaseSend(services, newsletter.company_id, reservation);
    throw error;
  }
}

/** Returns the language of the mails: the chosen one, that of the browser, or that of the newsletter. */
export function languageOf(
  request: Request,
  { language }: Pick<SignUpInput, "language">,
  { newsletter }: Pick<SignUpList, "newsletter">,
): EmailLanguage {
  const accepted = request.headers.get("accept-language") ?? "";
  const isNamed = /(?:^|[\s,])(?:en|fr)\b/i.test(accepted);
  return language ?? (isNamed ? choosePageLanguage(accepted) : newsletter.default_language);
}

/** Throws 403 unless the origin is allowed. The hosted page is always allowed, and so are requests without an origin. */
function checkOrigin(
  { settings }: Pick<EmailServices, "settings">,
  request: Request,
  { newsletter: { allowed_origins: allowed } }: SignUpList,
): void {
  const origin = request.headers.get("origin")?.toLowerCase();
  if (origin === undefined || allowed.length === 0 || allowed.includes(origin)) return;
  if (origin !== new URL(settings.publicBaseUrl).origin) throw new Problem("origin_not_allowed");
}

async function reserve(
  { limiter }: Pick<EmailServices, "limiter">,
  name: string,
  counters: ReturnType<typeof toCounters>,
): Promise<void> {
  const decision = await limiter.reserve(name, counters);
  if (decision.ok) return;
  throw new Problem("rate_limited", { headers: { "retry-after": String(toRetryAfterSeconds(decision)) } });
}

/** Returns the sender of the confirmation mail. Throws 503 `newsletter_unavailable` without one, or while the lane is paused. */
async function requireSender(services: EmailServices, companyId: number, facts: ConfirmationFacts) {
  try {
    return await requireConfirmationSender(services, companyId, facts);
  } catch (cause) {
    if (!(cause instanceof AnyProblem)) throw cause;
    services.log.warn("newsletter sign-up has no sender", { code: cause.code });
    const { "retry-after": wait } = cause.options.headers ?? {};
    throw new Problem("newsletter_unavailable", {
      cause,
      ...(wait === undefined ? {} : { headers: { "retry-after": wait } }),
    });
  }
}
