import { canonicalAddress } from "../../../../schemas/text/address";
import type { AdminCaller } from "../../../kit/auth/caller";
import type { PageLanguage } from "../../../kit/http/request/page-language";
import { messageId } from "../../../kit/ids";
import { toRetryAfterSeconds } from "../../../kit/limits/limiter";
import type { Counter } from "../../../kit/limits/sliding-window";
import { resolveOverHttps } from "../../../kit/net/dns";
import { escapeHtml } from "../../../kit/pages/html";
import { invalid } from "../../../kit/problem";
import { MINUTE_MS } from "../../../kit/time";
import { Problem } from "../../problem";
import { readAddress } from "../../records/seal/address";
import type { EmailServices } from "../../services";
import { AUTOMATIC_HEADERS, type OutgoingMail, type ProviderOutcome } from "../providers/types";
import { chooseSender, fromName, isPlatformAddress, type Sender } from "../sender/sender";
import { findProvider } from "./provider.store";

const TEXTS: Record<PageLanguage, { subject: string; lines: string[] }> = {
  en: {
    subject: "Test message",
    lines: ["This is a test message.", "It shows that your email settings work. There is nothing you need to do."],
  },
  fr: {
    subject: "Message de test",
    lines: [
      "Ceci est un message de test.",
      "Il montre que vos réglages d’e-mail fonctionnent. Vous n’avez rien à faire.",
    ],
  },
};

/** The subject of a test: the provider of a company, a template or a broadcast. Each subject has its own rate limit. */
type TestSubject = "provider" | "template" | "broadcast";

/** A test mail. `companyName` becomes part of the From name unless it is "". */
type TestMail = Pick<OutgoingMail, "companyId" | "to" | "subject" | "html" | "text" | "lane"> & { companyName: string };

/** Limits test mails of a company to 10 per minute and subject. Throws 429 `rate_limited` above this limit. */
export async function limitTestSend(services: EmailServices, companyId: number, subject: TestSubject): Promise<void> {
  const counter: Counter = { key: `${subject}-test-sends`, limit: 10, windowMs: MINUTE_MS };
  const decision = await services.limiter.reserve(`company:${companyId}`, [counter]);
  if (decision.ok) return;
  throw new Problem("rate_limited", { headers: { "retry-after": String(toRetryAfterSeconds(decision)) } });
}

/**
 * Returns the sender of this company for sign-in mail, or for bulk mail. Throws 409 when no sender exists, for bulk mail also with
 * `bulk_sender_required` and `company_smtp_disabled`.
 */
export async function chooseTestSender(
  services: EmailServices,
  companyId: number,
  lane: "auth" | "bulk" = "auth",
): Promise<Sender> {
  const { settings, dbOf } = services;
  const providerRow = await dbOf(companyId).first(findProvider({ companyId }));
  const hasPlatform = lane === "auth";
  const input = { lane, companyId, usePlatformSender: false, hasPlatform, providerRow } as const;
  const choice = await chooseSender(input, settings, await services.keys());
  if (!choice.ok) throw new Problem(choice.code);
  const { sender } = choice;
  const isMisuse = sender.scope === "company" && isPlatformAddress(sender.from.address, settings);
  if (isMisuse && !settings.platformCompanyIds.has(companyId)) throw new Problem("platform_sender_not_allowed");
  return sender;
}

/**
 * Throws 409 `provider_not_configured` when the platform would send the test mail, because that would not prove that the
 * provider of the company works. Companies in `EMAIL_PLATFORM_COMPANY_IDS` send through the platform and are exempt.
 */
export function requireAllowedSender(
  { platformCompanyIds }: Pick<EmailServices["settings"], "platformCompanyIds">,
  companyId: number,
  { scope }: Sender,
): void {
  if (scope === "platform" && !platformCompanyIds.has(companyId)) throw new Problem("provider_not_configured");
}

/** Returns the response for a test mail that the provider accepted. */
export function presentTestSent({ scope, provider, from }: Sender, providerMessageId: string) {
  return {
    status: "sent",
    provider,
    provider_message_id: providerMessageId,
    sender: { scope, from_email: from.address },
  };
}

/**
 * Sends one mail and returns the message id of the provider. Throws 502 `provider_test_failed` with the code of the outcome
 * when the provider does not accept the mail. Stores no message row and pauses no lane.
 */
export async function sendTestMail(services: EmailServices, sender: Sender, mail: TestMail): Promise<string> {
  const outcome = await deliver(services, sender, toOutgoing(services, sender, mail));
  if (outcome.kind === "accepted") return outcome.providerMessageId;
  const code = outcome.kind === "lost" ? "provider_error" : outcome.code;
  services.log.note({ company_id: mail.companyId, provider: sender.provider, provider_test: code });
  throw new Problem("provider_test_failed", { field_errors: { provider: [code] } });
}

/** Returns the content of a provider test, without branding. */
export function neutralMail(
  language: PageLanguage,
): Pick<TestMail, "subject" | "html" | "text" | "lane" | "companyName"> {
  const { subject, lines } = TEXTS[language];
  const paragraphs = lines.map((line) => `<p>${escapeHtml(line)}</p>`).join("");
  return {
    subject,
    html:
      `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>` +
      `<body>${paragraphs}</body></html>`,
    text: `${lines.join("\n\n")}\n`,
    lane: "auth",
    companyName: "",
  };
}

function toOutgoing(
  { requestId, clock }: EmailServices,
  sender: Sender,
  { companyName, ...mail }: TestMail,
): OutgoingMail {
  return {
    ...mail,
    // The message id is the idempotency key, so a new id makes the provider send every test.
    messageId: messageId(),
    from: { name: fromName(sender, companyName), address: sender.from.address },
    ...(sender.replyTo === undefined ? {} : { replyTo: sender.replyTo }),
    headers: AUTOMATIC_HEADERS,
    acceptedAt: clock.now(),
    requestId,
  };
}

/**
 * Returns the address that a test mail is sent to. The default is the address of the caller; only staff may choose another one.
 * Throws 400 for an invalid `to` and 403 `forbidden`.
 */
export function readTestRecipient(caller: AdminCaller, to: string = caller.email): string {
  if (to === "") throw invalid({ to: ["required"] });
  const address = readAddress(to);
  if (address === null) throw invalid({ to: ["invalid_format"] });
  if (!caller.isStaff && canonicalAddress(address) !== canonicalAddress(caller.email)) throw new Problem("forbidden");
  return address;
}

async function deliver(
  { settings, fetch }: EmailServices,
  sender: Sender,
  mail: OutgoingMail,
): Promise<ProviderOutcome> {
  const resolve = (name: string) => resolveOverHttps(name, settings.dnsResolverUrl, fetch);
  const transport = sender.transport.open({ fetch, resolve });
  try {
    return await transport.send(mail, { beforeData: async () => true });
  } finally {
    await transport.close();
  }
}
