import { bytesToBase64 } from "../../../kit/crypto/encoding";
import { joinBytes } from "../../../kit/http/request/body";

/** Bytes of a line of 76 base64 characters (RFC 2045, 6.8). A multiple of 3, so that no part but the last one is padded. */
const LINE_BYTES = 57;

/** Returns the length of the base64 of `size` bytes. */
export const encodedSize = (size: number): number => Math.ceil(size / 3) * 4;

/** Yields the base64 of a stream, in lines of 76 characters that end with CRLF. */
export async function* encodedLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const text of encodedText(stream)) yield text.replace(/.{1,76}/g, "$&\r\n");
}

/** Yields the base64 of a stream. Every text but the last one encodes a multiple of 57 bytes. */
export async function* encodedText(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = new Uint8Array();
  for await (const chunk of stream) {
    const bytes = rest.length === 0 ? chunk : joinBytes([rest, chunk], rest.length + chunk.length);
    const end = bytes.length - (bytes.length % LINE_BYTES);
    if (end > 0) yield bytesToBase64(bytes.subarray(0, end));
    rest = bytes.slice(end);
  }
  if (rest.length > 0) yield bytesToBase64(rest);
}
