import { hasNonAscii } from "./mail-address";
import { toBase64 } from "./transfer-encoding";

/**
 * Maximum length of a line with an encoded word (RFC 2047, section 2). It includes the header name, or the space at the start
 * of a folded line.
 */
const ENCODED_LINE_LENGTH = 76;
/** Length of `=?utf-8?B?` and `?=`. */
const ENCODED_WORD_FRAME = 12;
/** Maximum length of a text that is written without encoding. */
const MAX_PLAIN_LENGTH = 70;
/** Maximum length of the value of one parameter, so that its line has at most 78 characters. */
const MAX_PARAMETER_VALUE = 60;

/** Returns an address with an optional name. `header` is the name of the header, which shortens the first line. */
export function encodeMailbox(header: string, name: string, address: string): string {
  if (name === "") return `<${address}>`;
  if (needsEncoding(name)) return `${encodeWords(`${header}: `, name)}\r\n <${address}>`;
  return `${quote(name)} <${address}>`;
}

/** Returns short ASCII text unchanged, other text as folded encoded words. */
export function encodeHeaderText(name: string, text: string): string {
  return needsEncoding(text) || text.trim() !== text ? encodeWords(`${name}: `, text) : text;
}

/**
 * Returns the parameter `name` of Content-Type on a folded line. RFC 2231 covers it too, but older mail programs read only
 * encoded words here.
 */
export function encodeName(name: string): string {
  const value = needsEncoding(name) ? `"${encodeWords(' name="', name)}"` : quote(name);
  return `;\r\n name=${value}`;
}

/** Returns the parameter `filename` of Content-Disposition, by RFC 2231 when it is long or not ASCII. */
export function encodeFilename(name: string): string {
  if (!hasNonAscii(name) && quote(name).length <= MAX_PARAMETER_VALUE) return `;\r\n filename=${quote(name)}`;
  const values = splitEncoded(`utf-8''${percentEncode(name)}`);
  if (values.length === 1) return `;\r\n filename*=${values[0]}`;
  return values.map((value, index) => `;\r\n filename*${index}*=${value}`).join("");
}

const needsEncoding = (text: string): boolean =>
  hasNonAscii(text) || text.length > MAX_PLAIN_LENGTH || text.includes("=?");

const quote = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;

/** Escapes every byte that RFC 2231 does not allow in a value. `encodeURIComponent` keeps some that it must not keep. */
const percentEncode = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** Splits percent-encoded text into values of at most `MAX_PARAMETER_VALUE` characters. Does not split an escape. */
function splitEncoded(text: string): string[] {
  const units = text.match(/%[0-9A-F]{2}|[^%]/g) ?? [];
  const values: string[] = [];
  let value = "";
  for (const unit of units) {
    if (value.length + unit.length > MAX_PARAMETER_VALUE) {
      values.push(value);
      value = "";
    }
    value += unit;
  }
  return [...values, value];
}

/** Returns encoded words (RFC 2047), one per line. The first one follows `start` on its line. */
function encodeWords(start: string, text: string): string {
  const encoder = new TextEncoder();
  const encodedWords: string[] = [];
  let word = "";
  let size = 0;
  // The loop runs by code point because an encoded word must not end inside a character (RFC 2047, section 5).
  for (const character of text) {
    const bytes = encoder.encode(character).length;
    if (size + bytes > maxWordBytes(encodedWords.length === 0 ? start : " ")) {
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
