import type { Clock } from "../../clock";
import { utf8ToBytes } from "../../crypto/encoding";
import { OutboundError, safeFetch } from "../../net/safe-fetch";

const MAX_EXCERPT_BYTES = 512;
const MAX_MESSAGE = 600;
const FILTERED = "[Filtered]";

/** A POST that is ready to send. It is built directly before it is sent, so that its signature has the current time. */
export type OutgoingPost = {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** secrets to remove from the stored excerpt of the response */
  hidden: readonly string[];
  allowPrivate: boolean;
};

/** The outcome of an attempt. `retryAfter` is the unparsed header. */
export type Outcome =
  | { kind: "answer"; status: number; retryAfter: string | null; excerpt: string; durationMs: number }
  | { kind: "none"; code: "timeout" | "connection_error" | "dns_error" | "ssrf_blocked"; durationMs: number };

/**
 * The dependencies of an attempt. `timeoutMs` is the total time for the host check, connection, request and 512 bytes
 * of the response.
 */
export type Wire = {
  fetch: typeof fetch;
  resolve: (name: string) => Promise<string[]>;
  clock: Clock;
  timeoutMs: number;
};

const CODES = {
  target: "ssrf_blocked",
  not_public: "ssrf_blocked",
  unresolved: "dns_error",
  timeout: "timeout",
  connection: "connection_error",
  too_large: "connection_error",
} as const;

/** Sends one POST without following redirects. Every failure is returned as an outcome. */
export async function sendPost(post: OutgoingPost, { fetch, resolve, clock, timeoutMs }: Wire): Promise<Outcome> {
  const startedAt = clock.now();
  const { url, headers, body, allowPrivate, hidden } = post;
  const options = { fetch, resolve, timeoutMs, maxBytes: MAX_EXCERPT_BYTES, body: "cut", allowHttp: true } as const;
  try {
    // The body is sent as bytes, because fetch adds a default content type to a text body.
    const request = { method: "POST", headers, body: utf8ToBytes(body) };
    const response = await safeFetch(url, request, { ...options, allowPrivate });
    const excerpt = toExcerpt(new Uint8Array(await response.arrayBuffer()), hidden);
    const retryAfter = response.headers.get("retry-after");
    return { kind: "answer", status: response.status, retryAfter, excerpt, durationMs: clock.now() - startedAt };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { kind: "none", code: CODES[error.reason], durationMs: clock.now() - startedAt };
  }
}

/** Returns the start of a response as valid UTF-8 of at most 512 bytes, without secrets. */
export function toExcerpt(bytes: Uint8Array, hidden: readonly string[]): string {
  const text = new TextDecoder("utf-8").decode(bytes.subarray(0, MAX_EXCERPT_BYTES)).replaceAll("\0", "\uFFFD");
  // The cut may split a character, which is then decoded as U+FFFD. That character is removed.
  const complete = bytes.length >= MAX_EXCERPT_BYTES ? text.replace(/\uFFFD$/, "") : text;
  return cutToBytes(hide(complete, hidden), MAX_EXCERPT_BYTES);
}

/** Returns the text to store for an outcome: `HTTP 500: <excerpt>` or the error, at most 600 characters. */
export function describeOutcome(outcome: Outcome): string {
  const text = outcome.kind === "answer" ? `HTTP ${outcome.status}: ${outcome.excerpt}`.trimEnd() : TEXTS[outcome.code];
  // The cut may split a surrogate pair.
  return text.slice(0, MAX_MESSAGE).replace(/\p{Surrogate}/gu, "\uFFFD");
}

const TEXTS = {
  timeout: "no answer in time",
  connection_error: "connection failed",
  dns_error: "the name does not resolve",
  ssrf_blocked: "the target is not public",
};

/** Removes secrets, including the start of a secret that was truncated at the end of the text. */
function hide(text: string, hidden: readonly string[]): string {
  let redacted = text;
  for (const secret of hidden.filter((value) => value !== "")) {
    redacted = redacted.replaceAll(secret, FILTERED);
    const longest = Math.min(secret.length - 1, redacted.length);
    for (let length = longest; length >= 4; length--) {
      if (!redacted.endsWith(secret.slice(0, length))) continue;
      redacted = redacted.slice(0, -length) + FILTERED;
      break;
    }
  }
  return redacted;
}

function cutToBytes(text: string, maxBytes: number): string {
  const bytes = utf8ToBytes(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  // Bytes of the form 10xxxxxx continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return new TextDecoder("utf-8").decode(bytes.subarray(0, end));
}
