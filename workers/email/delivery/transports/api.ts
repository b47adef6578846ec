import { clock } from "../../../kit/clock";
import { readBoundedText } from "../../../kit/net/bounded-text";
import { SECOND_MS } from "../../../kit/time";
import { encodedSize, encodedText } from "../mime/encoded-file";
import { UnsendableMailError } from "../mime/mail-address";
import { filterDetail } from "../providers/detail";
import { checkEnvelope, isProviderId, MAX_RETRY_AFTER_SECONDS } from "../providers/envelope";
import type { ApiConfig, OutgoingAttachment, OutgoingMail, ProviderOutcome } from "../providers/types";

const MAX_RESPONSE_BYTES = 64 * 1024;

/**
 * Sends one mail through the mail API. The message id is the idempotency key, so a repeated call does not send the mail
 * twice. Returns every failure as an outcome, except that it throws the error of an attachment that cannot be read.
 */
export async function sendByApi(
  mail: OutgoingMail,
  config: ApiConfig,
  fetch: typeof globalThis.fetch,
): Promise<ProviderOutcome> {
  let body: string;
  try {
    body = JSON.stringify(toPayload(mail));
  } catch (error) {
    if (error instanceof UnsendableMailError) return { kind: "final", code: "provider_error", detail: error.message };
    throw error;
  }
  const signal = AbortSignal.timeout(config.timeoutMs);
  const upload = openUpload(body, mail.attachments ?? []);
  let response: Response;
  try {
    response = await fetch(`${config.baseUrl}/emails`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${config.apiKey}`,
        "Content-Type": "application/json",
        "Idempotency-Key": mail.messageId,
        "User-Agent": "platform-email/1.0",
        "X-Request-ID": mail.requestId,
      },
      body: upload.body,
      redirect: "manual",
      signal,
    });
  } catch (error) {
    await upload.end();
    const detail = filterDetail(String(error), [config.apiKey]);
    return { kind: "retry", code: signal.aborted ? "provider_timeout" : "provider_unreachable", detail };
  }
  const text = await readResponse(response);
  await upload.end();
  if (response.ok) return { kind: "accepted", providerMessageId: readProviderId(text) ?? mail.messageId };
  return toRejection(response, text, config.apiKey, clock.now());
}

function toPayload(mail: OutgoingMail): Record<string, unknown> {
  const { from, to, replyTo } = checkEnvelope(mail);
  return {
    from: mail.from.name === "" ? from : `"${mail.from.name.replace(/["\\]/g, "\\$&")}" <${from}>`,
    to: [to],
    subject: mail.subject,
    html: mail.html,
    text: mail.text,
    ...(replyTo === undefined ? {} : { reply_to: replyTo }),
    ...(mail.headers ? { headers: mail.headers } : {}),
    tags: [
      { name: "message_id", value: mail.messageId },
      { name: "lane", value: mail.lane },
      { name: "company_id", value: String(mail.companyId) },
      ...(mail.broadcastRef === undefined ? [] : [{ name: "broadcast_id", value: mail.broadcastRef }]),
    ],
  };
}

/** The body of a request. `end` stops reading the attachments and throws the error of one that could not be read. */
type Upload = { body: BodyInit; end: () => Promise<void> };

/**
 * Returns the body with the attachments, which are read and encoded while they are sent: the base64 of several large files
 * would not fit into the memory of an isolate.
 */
function openUpload(payload: string, attachments: readonly OutgoingAttachment[]): Upload {
  if (attachments.length === 0) return { body: payload, end: async () => undefined };
  const parts = attachments.flatMap((attachment, index) => {
    const { filename, contentType, contentId } = attachment;
    const fields = JSON.stringify({
      filename,
      content_type: contentType,
      ...(contentId === null ? {} : { content_id: contentId }),
    });
    return [`${index === 0 ? "" : ","}${fields.slice(0, -1)},"content":"`, attachment, '"}'];
  });
  const content = [`${payload.slice(0, -1)},"attachments":[`, ...parts, "]}"];
  const encoder = new TextEncoder();
  const sizes = content.map((part) =>
    typeof part === "string" ? encoder.encode(part).length : encodedSize(part.size),
  );
  // With its length, the runtime sends Content-Length instead of chunks, which some providers do not accept.
  const { readable, writable } = new FixedLengthStream(sizes.reduce((sum, size) => sum + size, 0));
  let readError: unknown = null;
  const writer = writable.getWriter();
  const write = async () => {
    try {
      for (const part of content) {
        if (typeof part === "string") await writer.write(encoder.encode(part));
        else for await (const text of readEncoded(part)) await writer.write(encoder.encode(text));
      }
      await writer.close();
    } catch (error) {
      await writer.abort(error).catch(() => undefined);
    }
  };
  async function* readEncoded(attachment: OutgoingAttachment): AsyncGenerator<string> {
    try {
      yield* encodedText(await attachment.open());
    } catch (error) {
      readError = error;
      throw error;
    }
  }
  const written = write();
  return {
    body: readable,
    end: async () => {
      // The provider may respond before it has read the whole body.
      await writer.abort().catch(() => undefined);
      await written;
      if (readError !== null) throw readError;
    },
  };
}

/** Returns the start of the body, or a description of the read error. The status code alone decides the outcome. */
async function readResponse(response: Response): Promise<string> {
  try {
    return await readBoundedText(response, MAX_RESPONSE_BYTES);
  } catch (error) {
    return `unreadable response: ${String(error)}`;
  }
}

function readProviderId(text: string): string | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // A 2xx response without a readable id is still accepted. The caller uses the message id instead.
    return undefined;
  }
  if (typeof parsed !== "object" || parsed === null || !("id" in parsed)) return undefined;
  return isProviderId(parsed.id) ? parsed.id : undefined;
}

function toRejection(response: Response, text: string, apiKey: string, now: number): ProviderOutcome {
  const { status } = response;
  const detail = filterDetail(`HTTP ${status} ${text}`, [apiKey]);
  if (status === 401 || status === 403) return { kind: "retry", code: "provider_unauthorized", detail, pause: true };
  const isRetryable = status >= 500 || status === 408 || status === 409 || status === 425;
  if (status !== 429 && !isRetryable) return { kind: "final", code: "provider_rejected", detail };
  const retryAfterSeconds = parseRetryAfter(response.headers.get("Retry-After"), now);
  return {
    kind: "retry",
    code: status === 429 ? "provider_rate_limited" : "provider_unavailable",
    detail,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

/** Returns the seconds of a `Retry-After` header, clamped to 1 to 3600, or undefined when it cannot be parsed. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  const value = header?.trim();
  if (!value) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((parseHttpDate(value) - now) / SECOND_MS);
  if (Number.isNaN(seconds)) return undefined;
  return Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(1, seconds));
}

/** Parses an HTTP date, which begins with the name of a day. `Date.parse` alone would accept "-5" and "1.5". */
function parseHttpDate(value: string): number {
  return /^(?:mon|tue|wed|thu|fri|sat|sun)/i.test(value) ? Date.parse(value) : Number.NaN;
}
