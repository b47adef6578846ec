import { ArchiveError } from "./archive-error";

/**
 * The stream decompresses everything that it receives without waiting for its reader. Gzip compresses at most 1032 to 1, so a slice
 * of this size occupies at most 8 MB.
 */
const SLICE_BYTES = 8 * 1024;
const READ_BYTES = 64 * 1024;

type Read = ReadableStreamReadResult<Uint8Array>;

/**
 * Yields the decompressed bytes of a gzip stream. A chunk is valid until the next one is requested. Throws an ArchiveError for
 * anything else than one complete gzip stream; errors of `source` are thrown unchanged.
 */
export async function* gunzip(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new DecompressionStream("gzip");
  const writer = writable.getWriter();
  const reader = readable.getReader({ mode: "byob" });
  const read = (buffer: ArrayBuffer): Promise<Read> => {
    const result = reader.read(new Uint8Array(buffer)) as Promise<Read>;
    // The error is thrown where the result is awaited, which may be after the next write.
    result.catch(() => undefined);
    return result;
  };
  let pending = read(new ArrayBuffer(READ_BYTES));
  let isEnded = false;
  try {
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
        await decompressing(writer.write(chunk.subarray(at, at + SLICE_BYTES) as Uint8Array<ArrayBuffer>));
        for (let isFull = true; isFull; ) {
          const result = await decompressing(Promise.race([pending, inNextTask()]));
          if (result?.value === undefined) break;
          isFull = result.value.length === READ_BYTES;
          const buffer = result.value.buffer as ArrayBuffer;
          yield result.value;
          pending = read(buffer);
        }
      }
    }
    const closed = writer.close();
    closed.catch(() => undefined);
    for (;;) {
      const { done, value } = await decompressing(pending);
      if (done || value === undefined) break;
      const buffer = value.buffer as ArrayBuffer;
      yield value;
      pending = read(buffer);
    }
    await decompressing(closed);
    isEnded = true;
  } finally {
    if (!isEnded) await Promise.allSettled([writer.abort(), reader.cancel()]);
  }
}

const inNextTask = (): Promise<null> => new Promise((resolve) => setTimeout(() => resolve(null)));

async function decompressing<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (cause) {
    throw new ArchiveError("The file is not a complete gzip archive.", "", { cause });
  }
}
