import type { OutgoingMail } from "../providers/types";
import { checkHeaderText, domainOf, hasNonAscii, normalizeAddress, UnsendableMailError } from "./mail-address";
import { encodeText, toBase64 } from "./transfer-encoding";

const MESSAGE_ID_PATTERN = /^msg_([0-9a-f]{32})$/;
const HEADER_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;
const OWN_HEADER_PATTERN =
  /^(?:from|sender|reply-to|to|cc|bcc|date|message-id|subject|mime-version|return-path|received|content-.*)$/i;
/** RFC 5322 allows 998 characters a line; the rest is the name of the header. */
const MAX_HEADER_VALUE = 900;
/** A line with an encoded word has at most 76 characters, its header's name or the blank of a folded line included (RFC 2047, section 2). */
const ENCODED_LINE_LENGTH = 76;
/** `=?utf-8?B?` and `?=`. */
const ENCODED_WORD_FRAME = 12;

/**
 * The mail as RFC 5322 text with CRLF line ends: text part, then HTML part, both UTF-8. ASCII only, unless the local part of an
 * address is not ASCII. Equal on every attempt but for the date. `vendorHeaders` are for the relay alone. Throws
 * `UnsendableMailError`.
 */
export function buildMime(
  mail: OutgoingMail,
  date: Date,
  vendorHeaders: Readonly<Record<string, string>> = {},
): string {
  const id = MESSAGE_ID_PATTERN.exec(mail.messageId)?.[1];
  if (id === undefined) throw new UnsendableMailError("messageId", "not a message id");
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
  if (!HEADER_NAME_PATTERN.test(name) || OWN_HEADER_PATTERN.test(name)) {
    throw new UnsendableMailError("headers", "the name of a header is not allowed");
  }
  checkHeaderText(name, value);
  if (value.length > MAX_HEADER_VALUE || hasNonAscii(value)) {
    throw new UnsendableMailError(name, "not at most 900 ASCII characters");
  }
  return value;
}

function encodeMailbox(header: string, name: string, address: string): string {
  if (name === "") return `<${address}>`;
  const isEncoded = hasNonAscii(name) || name.length > 70 || name.includes("=?");
  if (isEncoded) return `${encodeWords(header, name)}\r\n <${address}>`;
  return `"${name.replace(/["\\]/g, "\\$&")}" <${address}>`;
}

/** A header text as it is when it is short ASCII, else as folded encoded words. */
function encodeHeaderText(name: string, text: string): string {
  const isPlain = text.length <= 70 && !hasNonAscii(text) && !text.includes("=?") && text.trim() === text;
  return isPlain ? text : encodeWords(name, text);
}

/** Encoded words, one a line; the first one stands behind the header's name. */
function encodeWords(header: string, text: string): string {
  const encoder = new TextEncoder();
  const encodedWords: string[] = [];
  let word = "";
  let size = 0;
  // By code point: an encoded word must not end inside a character (RFC 2047, section 5).
  for (const character of text) {
    const bytes = encoder.encode(character).length;
    if (size + bytes > bytesOfWord(encodedWords.length === 0 ? `${header}: ` : " ")) {
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

/** What a word may hold behind `start` on its line: three bytes are four characters of base64. */
function bytesOfWord(start: string): number {
  return Math.floor((ENCODED_LINE_LENGTH - start.length - ENCODED_WORD_FRAME) / 4) * 3;
}
