import { joinBytes, tooLarge } from "../http/request/body";
import { invalid, Problem } from "../problem";

/** Size of the pieces in which a body of unknown length is stored. One part is held in memory. */
export const PART_BYTES = 8 * 1024 * 1024;

/**
 * Returns `Content-Length`; null without the header, or 0 when the request has no body. Throws 400 for a malformed
 * header.
 */
export function declaredLength(request: Request): number | null {
  const text = request.headers.get("content-length");
  if (text === null) return request.body === null ? 0 : null;
  const length = Number(text);
  if (!/^\d{1,15}$/.test(text) || !Number.isSafeInteger(length)) throw invalid({ "content-length": ["invalid"] });
  return length;
}

/** Yields the bytes of a body as they arrive; throws 400 `incomplete_body` when the connection ends early. */
export async function* chunksOf({ body }: Pick<Request, "body">): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await readChunk(reader);
    if (done) return;
    if (value !== undefined) yield value;
  }
}

/**
 * Reads a body of at most `limit` bytes and counts them while it streams. Throws 413 `payload_too_large` or 400
 * `incomplete_body`. The rest of a body that is too large is drained, because a client that is still writing may not
 * read the response.
 */
export async function readFile(request: Request, limit: number): Promise<Uint8Array> {
  const chunks = chunksOf(request);
  const rejectTooLarge = async () => {
    await drain(chunks, request);
    return tooLarge(limit);
  };
  if ((declaredLength(request) ?? 0) > limit) throw await rejectTooLarge();
  const parts: Uint8Array[] = [];
  let size = 0;
  // Leaving a `for await` loop would cancel the body, which must still be drained.
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    size += next.value.length;
    if (size > limit) throw await rejectTooLarge();
    parts.push(next.value);
  }
  return joinBytes(parts, size);
}

/**
 * How many bytes of a rejected body are drained. This covers the bytes in flight without reading uploads of several
 * gigabytes.
 */
const DRAIN_BYTES = 32 * 1024 * 1024;
/** A client that sends 32 MiB at 1 MB/s still gets the response. */
const DRAIN_MS = 40_000;

/**
 * Reads and discards the rest of a body for at most 32 MiB and 40 s, unless `Content-Length` shows that it is larger.
 * Never throws: a locked or broken body counts as ended.
 */
export async function drain(chunks: AsyncGenerator<Uint8Array>, { headers }: Request): Promise<void> {
  if (Number(headers.get("content-length")) > DRAIN_BYTES) return;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const timeout = new Promise<{ done: true; value: undefined }>((resolve) => {
    timer = setTimeout(() => resolve({ done: true, value: undefined }), DRAIN_MS);
  });
  try {
    for (let bytes = 0; bytes < DRAIN_BYTES; ) {
      const { done, value } = await Promise.race([chunks.next(), timeout]);
      if (done) return;
      bytes += value.length;
    }
  } catch {
    // The body is discarded, so its errors do not matter.
  } finally {
    if (timer !== null) clearTimeout(timer);
  }
}

/** Reads one chunk; throws 400 `incomplete_body` when the connection ends before the body. */
async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read();
  } catch (cause) {
    throw new Problem("incomplete_body", { cause });
  }
}

/**
 * Yields bytes in parts of PART_BYTES. The last part may be shorter; it is empty when there are no bytes. `maxBytes`
 * is the declared size, which reduces the memory that small bodies use. Throws 400 `incomplete_body` when more bytes
 * arrive.
 */
export async function* partsOf(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number = PART_BYTES,
): AsyncGenerator<{ bytes: Uint8Array; isLast: boolean }> {
  const size = Math.min(PART_BYTES, maxBytes);
  let buffer = new Uint8Array(size);
  let filled = 0;
  for await (const chunk of chunks) {
    let rest = chunk;
    while (rest.length > 0) {
      // A full part is yielded only when more bytes follow, because the last part must carry `isLast`.
      if (filled === size) {
        if (size < PART_BYTES) throw new Problem("incomplete_body");
        yield { bytes: buffer, isLast: false };
        buffer = new Uint8Array(size);
        filled = 0;
      }
      const part = rest.subarray(0, size - filled);
      buffer.set(part, filled);
      filled += part.length;
      rest = rest.subarray(part.length);
    }
  }
  yield { bytes: buffer.subarray(0, filled), isLast: true };
}
