/** Maximum characters of a line without its line end (RFC 5322, 2.1.1). */
const MAX_LINE = 998;
/** Maximum characters of a quoted-printable line, including the `=` of a soft break (RFC 2045, 6.7). */
const MAX_QUOTED_LINE = 76;
/** Above this share of escaped bytes, base64 is shorter and equally readable. */
const MAX_ESCAPED_SHARE = 1 / 6;

// Relays change lines that begin like an mbox separator or end with whitespace.
const FRAGILE_LINE = /^From |[\t ]$/m;
const NOT_PLAIN = /[^\t\r\n -~]/;

/** An encoded MIME part: ASCII with CRLF line ends. */
export type EncodedText = { encoding: "7bit" | "quoted-printable" | "base64"; body: string };

/**
 * Encodes a text part (RFC 2045): 7bit for plain ASCII, quoted-printable when few bytes need an escape, base64 otherwise.
 * The result never contains `boundary`.
 */
export function encodeText(text: string, boundary: string): EncodedText {
  const lines = text.replace(/\r\n|\r|\n/g, "\r\n");
  if (lines.includes(boundary)) return { encoding: "base64", body: toBase64Lines(lines) };
  const rows = lines.split("\r\n");
  const isPlain = !NOT_PLAIN.test(lines) && rows.every((row) => row.length <= MAX_LINE && !FRAGILE_LINE.test(row));
  if (isPlain) return { encoding: "7bit", body: lines };
  const bytes = new TextEncoder().encode(lines).length;
  const escaped = lines.match(/[^\t\r\n -<>-~]/gu)?.reduce((sum, char) => sum + utf8Length(char), 0) ?? 0;
  if (escaped > bytes * MAX_ESCAPED_SHARE) return { encoding: "base64", body: toBase64Lines(lines) };
  return { encoding: "quoted-printable", body: rows.map(quoteLine).join("\r\n") };
}

function quoteLine(line: string): string {
  const quoted = line
    .replace(/[^\t -<>-~]/gu, escapeBytes)
    .replace(/^From /, "=46rom ")
    .replace(/[\t ]$/, escapeBytes);
  const parts: string[] = [];
  let remaining = quoted;
  while (remaining.length > MAX_QUOTED_LINE) {
    let end = MAX_QUOTED_LINE - 1;
    // An escape has three characters and must not be split.
    if (remaining[end - 1] === "=") end -= 1;
    else if (remaining[end - 2] === "=") end -= 2;
    parts.push(`${remaining.slice(0, end)}=`);
    remaining = remaining.slice(end);
  }
  return [...parts, remaining].join("\r\n");
}

function escapeBytes(character: string): string {
  const bytes = new TextEncoder().encode(character);
  return [...bytes].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

function utf8Length(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

/** Returns base64 in lines of 76 characters. */
function toBase64Lines(text: string): string {
  return (
    toBase64(text)
      .match(/.{1,76}/g)
      ?.join("\r\n") ?? ""
  );
}

/** Returns the UTF-8 bytes of a text as base64. */
export function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
