import type { CompanyProviderRow } from "../../../db/email/rows";
import { escapeHtml } from "../../kit/http/html";
import type { PageLanguage } from "../../kit/http/request/page-language";
import { messageId } from "../../kit/ids";
import { toRetryAfterSeconds } from "../../kit/limits/limiter";
import type { Counter } from "../../kit/limits/sliding-window";
import { resolveOverHttps } from "../../kit/net/dns";
import { MINUTE_MS } from "../../kit/time";
import { Problem } from "../problem";
import { sendByApi } from "../providers/api";
import { openSmtpSession } from "../providers/smtp";
import { AUTOMATIC_HEADERS, type OutgoingMail, type ProviderOutcome } from "../providers/types";
import { cleanHeaderText } from "../render/substitution";
import type { EmailServices } from "../services";
import { chooseSender, isPlatformAddress, type Sender } from "./sender";

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

const TEST_SENDS: Counter = { key: "provider-test-sends", limit: 10, windowMs: MINUTE_MS };

/** Counts a test-send: 10 per minute and company, 429 `rate_limited`. */
export async function limitTestSend(services: EmailServices, companyId: number): Promise<void> {
  const decision = await services.limiter.reserve(`company:${companyId}`, [TEST_SENDS]);
  if (decision.ok) return;
  throw new Problem("rate_limited", { headers: { "retry-after": String(toRetryAfterSeconds(decision)) } });
}

/** Who would send a sign-in mail of this company now; 409 when nobody can. */
export async function chooseTestSender(
  services: EmailServices,
  companyId: number,
  providerRow: CompanyProviderRow | null,
): Promise<Sender> {
  const { settings } = services;
  const input = { lane: "auth", companyId, usePlatformSender: false, hasPlatform: true, providerRow } as const;
  const choice = await chooseSender(input, settings, await services.keys());
  if (!choice.ok) throw new Problem(choice.code);
  const { sender } = choice;
  const isMisuse = sender.scope === "company" && isPlatformAddress(sender.from.address, settings);
  if (isMisuse && !settings.platformCompanyIds.has(companyId)) throw new Problem("platform_sender_not_allowed");
  return sender;
}

/**
 * Sends one neutral mail in the call and answers the provider's id; 502 `provider_test_failed` with the outcome's code
 * when it was not accepted. It leaves no message row and pauses nothing.
 */
export async function sendTestMail(
  services: EmailServices,
  sender: Sender,
  mail: { companyId: number; to: string; language: PageLanguage },
): Promise<string> {
  const outcome = await deliver(services, sender, composeTestMail(sender, mail, services));
  if (outcome.kind === "accepted") return outcome.providerMessageId;
  const code = outcome.kind === "lost" ? "provider_error" : outcome.code;
  services.log.note({ company_id: mail.companyId, provider: sender.provider, provider_test: code });
  throw new Problem("provider_test_failed", { field_errors: { provider: [code] } });
}

function composeTestMail(
  sender: Sender,
  { companyId, to, language }: { companyId: number; to: string; language: PageLanguage },
  { requestId, clock }: Pick<EmailServices, "requestId" | "clock">,
): OutgoingMail {
  const { subject, lines } = TEXTS[language];
  const paragraphs = lines.map((line) => `<p>${escapeHtml(line)}</p>`).join("");
  return {
    // A fresh id is a fresh idempotency key: every test is really sent.
    messageId: messageId(),
    from: { name: cleanHeaderText(sender.from.name), address: sender.from.address },
    to,
    ...(sender.replyTo === undefined ? {} : { replyTo: sender.replyTo }),
    subject,
    html:
      `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>` +
      `<body>${paragraphs}</body></html>`,
    headers: AUTOMATIC_HEADERS,
    text: `${lines.join("\n\n")}\n`,
    acceptedAt: clock.now(),
    lane: "auth",
    companyId,
    requestId,
  };
}

async function deliver(services: EmailServices, { config }: Sender, mail: OutgoingMail): Promise<ProviderOutcome> {
  if (config.kind === "api") return sendByApi(mail, config, services.fetch);
  const { dnsResolverUrl } = services.settings;
  const session = openSmtpSession(config, (name) => resolveOverHttps(name, dnsResolverUrl, services.fetch));
  try {
    return await session.send(mail, { beforeData: async () => true });
  } finally {
    await session.close();
  }
}
