/** RFC 5322, 2.1.1: characters of a line without its end. */
const MAX_LINE = 998;
/** RFC 2045, 6.7: characters of a line of quoted-printable, the `=` of a soft break included. */
const MAX_QUOTED_LINE = 76;
/** Above this share of escaped bytes base64 is shorter and no less readable. */
const MAX_ESCAPED_SHARE = 1 / 6;

// Text that relays change on its way: a line that begins as an mbox separator does, blanks at the end of a line.
const FRAGILE_LINE = /^From |[\t ]$/m;
const NOT_PLAIN = /[^\t\r\n -~]/;

/** A text in the form of a MIME part; all of it ASCII with CRLF line ends. */
export type EncodedText = { encoding: "7bit" | "quoted-printable" | "base64"; body: string };

/**
 * Encodes a text part (RFC 2045): 7bit where it can travel as it is, quoted-printable where little needs an escape, base64
 * otherwise. `boundary` never stands in the result of a text that holds it.
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
    // An escape is three characters that stay together.
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

/** Base64 in lines of 76 characters. */
function toBase64Lines(text: string): string {
  return (
    toBase64(text)
      .match(/.{1,76}/g)
      ?.join("\r\n") ?? ""
  );
}

/** UTF-8 in base64. */
export function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
