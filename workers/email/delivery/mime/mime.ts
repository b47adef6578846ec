import type { OutgoingMail } from "../providers/types";
import { checkHeaderText, domainOf, hasNonAscii, normalizeAddress, UnsendableMailError } from "./mail-address";
import { encodeText, toBase64 } from "./transfer-encoding";

const MESSAGE_ID_PATTERN = /^msg_([0-9a-f]{32})$/;
const HEADER_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;
/** Headers that this module sets itself. */
const RESERVED_HEADER_PATTERN =
  /^(?:from|sender|reply-to|to|cc|bcc|date|message-id|subject|mime-version|return-path|received|content-.*)$/i;
/** RFC 5322 allows 998 characters per line. This lower limit leaves room for the name of the header. */
const MAX_HEADER_VALUE = 900;
/**
 * Maximum length of a line with an encoded word (RFC 2047, section 2). It includes the header name, or the space at the start
 * of a folded line.
 */
const ENCODED_LINE_LENGTH = 76;
/** Length of `=?utf-8?B?` and `?=`. */
const ENCODED_WORD_FRAME = 12;

/**
 * Returns the mail as RFC 5322 text with CRLF line ends. The text part precedes the HTML part; both are UTF-8. The result is
 * ASCII, except for the local part of an address. The same input always gives the same text. `vendorHeaders` are read and
 * removed by the relay. Throws `UnsendableMailError`.
 */
export function buildMime(
  mail: OutgoingMail,
  date: Date,
  vendorHeaders: Readonly<Record<string, string>> = {},
): string {
  const id = MESSAGE_ID_PATTERN.exec(mail.messageId)?.[1];
  if (id === undefined) throw new UnsendableMailError("messageId", "must be msg_ and 32 hex characters");
  checkHeaderText("subject", mail.subject);
  checkHeaderText("from.name", mail.from.name);
  checkHeaderText("toName", mail.toName ?? "");
  const from = normalizeAddress("from.address", mail.from.address);
  const to = normalizeAddress("to", mail.to);

  const boundary = `alt-${id}`;
  const headers = [
    ["Date", date.toUTCString().replace("GMT", "+0000")],
    ["From", encodeMailbox("From", mail.from.name, from)],
    ...(mail.replyTo ? [["Reply-To", `<${normalizeAddress("replyTo", mail.replyTo)}>`]] : []),
    ["To", encodeMailbox("To", mail.toName ?? "", to)],
    ["Message-ID", `<${id}@${domainOf(from)}>`],
    ...Object.entries(vendorHeaders),
    ["Subject", encodeHeaderText("Subject", mail.subject)],
    ["MIME-Version", "1.0"],
    ...Object.entries(mail.headers ?? {}).map(([name, value]) => [name, checkExtraHeader(name, value)]),
    ["Content-Type", `multipart/alternative; boundary=${boundary}`],
  ];
  const part = (type: string, text: string) => {
    const { encoding, body } = encodeText(text, boundary);
    return `--${boundary}\r\nContent-Type: ${type}; charset=UTF-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n`;
  };
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `${head}\r\n${part("text/plain", mail.text)}${part("text/html", mail.html)}--${boundary}--\r\n`;
}

function checkExtraHeader(name: string, value: string): string {
  if (!HEADER_NAME_PATTERN.test(name) || RESERVED_HEADER_PATTERN.test(name)) {
    throw new UnsendableMailError("headers", "the header name is reserved or malformed");
  }
  checkHeaderText(name, value);
  if (value.length > MAX_HEADER_VALUE || hasNonAscii(value)) {
    throw new UnsendableMailError(name, "must be at most 900 ASCII characters");
  }
  return value;
}

function encodeMailbox(header: string, name: string, address: string): string {
  if (name === "") return `<${address}>`;
  const isEncoded = hasNonAscii(name) || name.length > 70 || name.includes("=?");
  if (isEncoded) return `${encodeWords(header, name)}\r\n <${address}>`;
  return `"${name.replace(/["\\]/g, "\\$&")}" <${address}>`;
}

/** Returns short ASCII text unchanged, other text as folded encoded words. */
function encodeHeaderText(name: string, text: string): string {
  const isPlain = text.length <= 70 && !hasNonAscii(text) && !text.includes("=?") && text.trim() === text;
  return isPlain ? text : encodeWords(name, text);
}

/** Returns encoded words (RFC 2047), one per line. The first one is on the line of the header name. */
function encodeWords(header: string, text: string): string {
  const encoder = new TextEncoder();
  const encodedWords: string[] = [];
  let word = "";
  let size = 0;
  // The loop runs by code point because an encoded word must not end inside a character (RFC 2047, section 5).
  for (const character of text) {
    const bytes = encoder.encode(character).length;
    if (size + bytes > maxWordBytes(encodedWords.length === 0 ? `${header}: ` : " ")) {
      encodedWords.push(word);
      word = "";
      size = 0;
    }
    word += character;
    size += bytes;
  }
  encodedWords.push(word);
  return encodedWords.map((part) => `=?utf-8?B?${toBase64(part)}?=`).join("\r\n ");
}

/** Returns the maximum bytes of an encoded word that follows `start` on its line. Four base64 characters encode three bytes. */
function maxWordBytes(start: string): number {
  return Math.floor((ENCODED_LINE_LENGTH - start.length - ENCODED_WORD_FRAME) / 4) * 3;
}
