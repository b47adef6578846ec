import { TimeoutError, withTimeout } from "../../../kit/timeout";
import { UnsendableMailError } from "../mime/mail-address";
import { filterDetail, MAX_DETAIL_LENGTH } from "../providers/detail";
import { checkEnvelope, isProviderId, MAX_RETRY_AFTER_SECONDS } from "../providers/envelope";
import type { OutgoingAttachment, OutgoingMail, ProviderOutcome } from "../providers/types";

type Failure = Extract<ProviderOutcome, { kind: "retry" }>;

/** The account may not send from this domain, which only an operator can change, as with rejected credentials. */
const UNAUTHORIZED: Failure = { kind: "retry", code: "provider_unauthorized", pause: true };
const RATE_LIMITED: Failure = { kind: "retry", code: "provider_rate_limited" };
const UNAVAILABLE: Failure = { kind: "retry", code: "provider_unavailable" };

/** The outcomes of the documented error codes of `send` that are not `provider_rejected`. */
const FAILURES: ReadonlyMap<string, Failure> = new Map<string, Failure>([
  ["E_SENDER_NOT_VERIFIED", UNAUTHORIZED],
  ["E_SENDER_DOMAIN_NOT_AVAILABLE", UNAUTHORIZED],
  ["E_RATE_LIMIT_EXCEEDED", RATE_LIMITED],
  ["E_DAILY_LIMIT_EXCEEDED", { ...RATE_LIMITED, retryAfterSeconds: MAX_RETRY_AFTER_SECONDS }],
  ["E_INTERNAL_SERVER_ERROR", UNAVAILABLE],
  // The code does not say whether the failure is permanent. A retry costs less than a lost sign-in mail.
  ["E_DELIVERY_FAILED", UNAVAILABLE],
]);

/** The documented error codes that a repetition of the same mail does not change. */
const REJECTIONS: readonly string[] = [
  ...["E_VALIDATION_ERROR", "E_FIELD_MISSING", "E_CONTENT_TOO_LARGE", "E_TOO_MANY_RECIPIENTS"],
  ...["E_RECIPIENT_NOT_ALLOWED", "E_RECIPIENT_SUPPRESSED", "E_HEADER_NOT_ALLOWED", "E_HEADER_USE_API_FIELD"],
  ...["E_HEADER_VALUE_INVALID", "E_HEADER_VALUE_TOO_LONG", "E_HEADER_NAME_INVALID"],
  ...["E_HEADERS_TOO_LARGE", "E_HEADERS_TOO_MANY"],
];

/**
 * Sends one mail through Cloudflare's Email Service. `timeoutMs` limits the call, after which the service may still send the
 * mail. Returns every failure as an outcome, except that it throws the error of an attachment that cannot be read.
 */
export async function sendByBinding(
  mail: OutgoingMail,
  binding: SendEmail,
  timeoutMs: number,
): Promise<ProviderOutcome> {
  let message: EmailMessageBuilder;
  try {
    message = await toMessage(mail);
  } catch (error) {
    if (error instanceof UnsendableMailError) return { kind: "final", code: "provider_error", detail: error.message };
    throw error;
  }
  try {
    const { messageId } = await withTimeout(binding.send(message), timeoutMs);
    return { kind: "accepted", providerMessageId: isProviderId(messageId) ? messageId : mail.messageId };
  } catch (error) {
    if (error instanceof TimeoutError) return { kind: "retry", code: "provider_timeout", detail: error.message };
    return toFailure(error);
  }
}

/** Returns the outcome of an error of `send`. An error without a known code is retried, because it says nothing about the mail. */
function toFailure(error: unknown): ProviderOutcome {
  const { code, message } = readError(error);
  const isRejection = REJECTIONS.includes(code);
  const text = filterDetail(message, []);
  // The filter would take the long names of the documented codes for tokens.
  const detail = isRejection || FAILURES.has(code) ? `${code} ${text}`.slice(0, MAX_DETAIL_LENGTH) : text;
  if (isRejection) return { kind: "final", code: "provider_rejected", detail };
  return { ...(FAILURES.get(code) ?? UNAVAILABLE), detail };
}

function readError(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: "", message: String(error) };
  return { code: "code" in error ? String(error.code) : "", message: error.message };
}

async function toMessage(mail: OutgoingMail): Promise<EmailMessageBuilder> {
  const { from, to, replyTo } = checkEnvelope(mail);
  const attachments = await Promise.all((mail.attachments ?? []).map(toAttachment));
  return {
    from: mail.from.name === "" ? from : { email: from, name: mail.from.name },
    to,
    subject: mail.subject,
    html: mail.html,
    text: mail.text,
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(mail.headers ? { headers: allowedHeaders(mail.headers) } : {}),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

/** The header that requests may contain although the service sets its own. */
const OWN_HEADER = "feedback-id";

/** Returns the headers without those for which the service rejects the whole mail: its own, and headers without a value. */
function allowedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const isAllowed = ([name, value]: [string, string]) => name.toLowerCase() !== OWN_HEADER && value.trim() !== "";
  return Object.fromEntries(Object.entries(headers).filter(isAllowed));
}

async function toAttachment({ filename, contentType, contentId, open }: OutgoingAttachment): Promise<EmailAttachment> {
  const content = await new Response(await open()).arrayBuffer();
  const file = { filename, type: contentType, content };
  return contentId === null ? { ...file, disposition: "attachment" } : { ...file, disposition: "inline", contentId };
}
