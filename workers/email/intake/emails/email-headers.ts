const MAX_HEADERS = 20;
const MAX_VALUE_LENGTH = 900;
const PRINTABLE_ASCII = /^[ -~]*$/;
/** Headers about the thread, and headers without a meaning to mail servers. */
const ALLOWED = /^(?:in-reply-to|references|importance|priority|keywords|comments|feedback-id|x-[a-z0-9-]{1,60})$/i;
/** Headers that control the relay of a vendor, and a header that every mail has. */
const CONTROLLING =
  /^x-(?:ses|pm|mailgun|mj|msys|smtpapi|sg|mc|mandrill|sparkpost|auto-response-suppress|entity-id|priority-queue)(?:-|$)/i;

/** Returns the headers of a request, or the code of the reason why they are rejected. */
export function readHeaders(value: unknown): Record<string, string> | "invalid" | "not_allowed" | "too_many" {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "invalid";
  const entries = Object.entries(value);
  if (entries.length > MAX_HEADERS) return "too_many";
  if (entries.some(([name]) => !ALLOWED.test(name) || CONTROLLING.test(name))) return "not_allowed";
  const isValid = entries.every(
    ([, text]) => typeof text === "string" && text.length <= MAX_VALUE_LENGTH && PRINTABLE_ASCII.test(text),
  );
  const hasRepeats = new Set(entries.map(([name]) => name.toLowerCase())).size < entries.length;
  return isValid && !hasRepeats ? (value as Record<string, string>) : "invalid";
}
