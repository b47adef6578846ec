import { checkHeaderText, domainOf, hasNonAscii, normalizeAddress, UnsendableMailError } from "./mail-address";
import type { OutgoingMail } from "./types";

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
 * The mail as RFC 5322 text with CRLF line ends: text part, then HTML part, both UTF-8 in base64. ASCII only, unless
 * the local part of an address is not ASCII. Equal on every attempt but for the date. Throws `UnsendableMailError`.
 */
export function buildMime(mail: OutgoingMail, date: Date): string {
  const id = MESSAGE_ID_PATTERN.exec(mail.messageId)?.[1];
  if (id === undefined) throw new UnsendableMailError("messageId", "not a message id");
  checkHeaderText("subject", mail.subject);
  checkHeaderText("from.name", mail.from.name);
  const from = normalizeAddress("from.address", mail.from.address);
  const to = normalizeAddress("to", mail.to);

  const headers = [
    ["Date", date.toUTCString().replace("GMT", "+0000")],
    ["From", encodeMailbox(mail.from.name, from)],
    ...(mail.replyTo ? [["Reply-To", `<${normalizeAddress("replyTo", mail.replyTo)}>`]] : []),
    ["To", `<${to}>`],
    ["Message-ID", `<${id}@${domainOf(from)}>`],
    // By these, relays that make a Message-ID of their own tell of the mail: Amazon SES and Postmark.
    ["X-SES-MESSAGE-TAGS", `message_id=${mail.messageId}`],
    ["X-PM-Metadata-message_id", mail.messageId],
    ["Subject", encodeHeaderText("Subject", mail.subject)],
    ["MIME-Version", "1.0"],
    ...Object.entries(mail.headers ?? {}).map(([name, value]) => [name, checkExtraHeader(name, value)]),
    ["Content-Type", `multipart/alternative; boundary=alt-${id}`],
  ];
  // The bodies are base64, so no line of them can begin with the boundary's "--".
  const part = (type: string, text: string) =>
    `--alt-${id}\r\nContent-Type: ${type}; charset=UTF-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${encodeBody(text)}\r\n\r\n`;
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `${head}\r\n${part("text/plain", mail.text)}${part("text/html", mail.html)}--alt-${id}--\r\n`;
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

function encodeMailbox(name: string, address: string): string {
  if (name === "") return `<${address}>`;
  if (hasNonAscii(name) || name.length > 70) return `${encodeWords("From", name)}\r\n <${address}>`;
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
  const words: string[] = [];
  let word = "";
  let size = 0;
  // By code point: an encoded word must not end inside a character (RFC 2047, section 5).
  for (const character of text) {
    const bytes = encoder.encode(character).length;
    if (size + bytes > bytesOfWord(words.length === 0 ? `${header}: ` : " ")) {
      words.push(word);
      word = "";
      size = 0;
    }
    word += character;
    size += bytes;
  }
  words.push(word);
  return words.map((part) => `=?utf-8?B?${toBase64(part)}?=`).join("\r\n ");
}

/** What a word may hold behind `start` on its line: three bytes are four characters of base64. */
function bytesOfWord(start: string): number {
  return Math.floor((ENCODED_LINE_LENGTH - start.length - ENCODED_WORD_FRAME) / 4) * 3;
}

/** Base64 in lines of 76 characters; line ends become CRLF first, as text types demand. */
function encodeBody(text: string): string {
  const encoded = toBase64(text.replace(/\r\n|\r|\n/g, "\r\n"));
  return encoded.match(/.{1,76}/g)?.join("\r\n") ?? "";
}

function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
