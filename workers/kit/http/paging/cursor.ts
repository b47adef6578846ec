import type * as z from "zod";
import { base64urlToBytes, bytesToBase64url, bytesToUtf8, utf8ToBytes } from "../../crypto/encoding";
import type { Parser } from "../request/parse";

/** Enough characters for a time and a text of 1,024 bytes, even if JSON escapes each byte. */
const MAX_CURSOR_LENGTH = 3000;

/** Returns an opaque cursor that continues a list after the row with these sort values. */
export function encodeCursor(values: readonly (string | number)[]): string {
  return bytesToBase64url(utf8ToBytes(JSON.stringify(values)));
}

/** Returns the sort values of a cursor, or undefined when the text is not a cursor of this list. */
export function readCursor<S extends Parser>(text: string, position: S): z.output<S> | undefined {
  if (text.length > MAX_CURSOR_LENGTH) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(bytesToUtf8(base64urlToBytes(text)));
  } catch {
    // Bad base64url, UTF-8 and JSON all become `cursor: [invalid]`.
    return undefined;
  }
  const result = position.safeParse(value);
  return result.success ? (result.data as z.output<S>) : undefined;
}
