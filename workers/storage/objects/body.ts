import { decodeField, make as makeParser, type PartInfo } from "multipasta";
import { mediaTypeOf } from "../../kit/http/request/form";
import { invalid } from "../../kit/problem";
import { Problem } from "../problem";

/** Bytes of a piece of a body whose length nobody told: what is held at once. */
export const PIECE_BYTES = 8 * 1024 * 1024;

const MAX_FIELD_BYTES = 65_536;
const DASH = 0x2d;
const MAX_FIELDS = 20;

/** The bytes of an upload, as they come, and what a form says of them. */
export type Incoming = {
  chunks: AsyncGenerator<Uint8Array>;
  /** null: not told */
  length: number | null;
  contentType: string | null;
  fields: Record<string, string>;
};

/** The file of a request: its body, or the first file of a form with parts. 400 `body: [invalid]`. */
export async function openBody(request: Request): Promise<Incoming> {
  if (mediaTypeOf(request) === "multipart/form-data") return openForm(request);
  return {
    chunks: chunksOf(request),
    length: declaredLength(request),
    contentType: request.headers.get("content-type"),
    fields: {},
  };
}

/** `Content-Length`; null without one. */
export function declaredLength(request: Request): number | null {
  const text = request.headers.get("content-length");
  if (text === null) return request.body === null ? 0 : null;
  const length = Number(text);
  if (!/^\d{1,15}$/.test(text) || !Number.isSafeInteger(length)) throw invalid({ "content-length": ["invalid"] });
  return length;
}

/** The bytes of a body as they come; 400 `incomplete_body` where the connection ends before it. */
export async function* chunksOf({ body }: Pick<Request, "body">): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await readChunk(reader);
    if (done) return;
    if (value !== undefined) yield value;
  }
}

/** What is read of a refused body at most: as much as a connection may have under way, and no upload of gigabytes. */
const DRAIN_BYTES = 32 * 1024 * 1024;
const DRAIN_MS = 5000;

/**
 * Reads what is left of a body and forgets it, unless the request says that it is too much. Never throws: a body that is taken, or
 * breaks, is at its end.
 */
export async function drain(chunks: AsyncGenerator<Uint8Array>, { headers }: Request): Promise<void> {
  if (Number(headers.get("content-length")) > DRAIN_BYTES) return;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const isLate = new Promise<{ done: true; value: undefined }>((resolve) => {
    timer = setTimeout(() => resolve({ done: true, value: undefined }), DRAIN_MS);
  });
  try {
    for (let bytes = 0; bytes < DRAIN_BYTES; ) {
      const { done, value } = await Promise.race([chunks.next(), isLate]);
      if (done) return;
      bytes += value.length;
    }
  } catch {
    // Nobody waits for it.
  } finally {
    if (timer !== null) clearTimeout(timer);
  }
}

/** A chunk; a connection that ends before its body is 400 `incomplete_body`. */
async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read();
  } catch (cause) {
    throw new Problem("incomplete_body", { cause });
  }
}

/**
 * Reads a form up to the head of its first file; the fields before it are known then. What stands behind the file is refused:
 * it would come when the file is stored.
 */
async function openForm(request: Request): Promise<Incoming> {
  const fields: Record<string, string> = {};
  const waiting: Uint8Array[] = [];
  let file: PartInfo | undefined;
  let isFault = false;
  let isDone = false;
  const parser = makeParser({
    headers: { "content-type": request.headers.get("content-type") ?? "" },
    isFile: (info) =>
      info.filename !== undefined || info.name === "file" || info.contentType === "application/octet-stream",
    maxParts: MAX_FIELDS,
    maxFieldSize: MAX_FIELD_BYTES,
    onField: (info, value) => {
      if (file !== undefined) isFault = true;
      else fields[info.name] = decodeField(info, value);
    },
    onFile: (info) => {
      if (file !== undefined) isFault = true;
      file ??= info;
      const isOwn = file === info;
      return (chunk) => {
        if (chunk !== null && isOwn && chunk.length > 0) waiting.push(chunk.slice());
      };
    },
    onError: () => {
      isFault = true;
    },
    onDone: () => {
      isDone = true;
    },
  });
  const incoming = wholeDashes(chunksOf(request));
  /** Whether there was more to read. */
  const pull = async (): Promise<boolean> => {
    const { done, value } = await incoming.next();
    try {
      if (done) parser.end();
      else parser.write(value);
    } catch (cause) {
      throw new Problem("validation_failed", { field_errors: { body: ["invalid"] }, cause });
    }
    if (isFault) throw isDone || !done ? invalid({ body: ["invalid"] }) : new Problem("incomplete_body");
    return !done;
  };
  while (file === undefined) {
    if (!(await pull())) throw isDone ? invalid({ file: ["required"] }) : new Problem("incomplete_body");
  }
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield next;
      if (!(await pull())) break;
    }
    yield* waiting.splice(0);
    if (!isDone) throw new Problem("incomplete_body");
  }
  return { chunks: chunks(), length: null, contentType: typeOf(file), fields };
}

/** The type of a file as its part says it, parameters and all; the parser gives one to those that say none. */
const typeOf = ({ headers }: PartInfo): string | null => [headers["content-type"] ?? []].flat()[0] ?? null;

/** The same bytes, with up to two dashes at the end of a chunk moved to the next: the parser misses an end cut between its two. */
async function* wholeDashes(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held = new Uint8Array();
  for await (const chunk of chunks) {
    const bytes = held.length === 0 ? chunk : joined(held, chunk);
    let end = bytes.length;
    while (end > 0 && bytes.length - end < 2 && bytes[end - 1] === DASH) end -= 1;
    held = bytes.slice(end);
    if (end > 0) yield bytes.subarray(0, end);
  }
  if (held.length > 0) yield held;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

/**
 * Bytes in pieces of PIECE_BYTES each but the last, which may be shorter and, where there are no bytes at all, empty. `atMost`
 * is what is told of their number, so that few bytes take little memory; more are 400 `incomplete_body`.
 */
export async function* piecesOf(
  chunks: AsyncIterable<Uint8Array>,
  atMost: number = PIECE_BYTES,
): AsyncGenerator<{ bytes: Uint8Array; isLast: boolean }> {
  const size = Math.min(PIECE_BYTES, atMost);
  let piece = new Uint8Array(size);
  let filled = 0;
  for await (const chunk of chunks) {
    let rest = chunk;
    while (rest.length > 0) {
      // A full piece is given when more follows: only then it is known not to be the last.
      if (filled === size) {
        if (size < PIECE_BYTES) throw new Problem("incomplete_body");
        yield { bytes: piece, isLast: false };
        piece = new Uint8Array(size);
        filled = 0;
      }
      const taken = rest.subarray(0, size - filled);
      piece.set(taken, filled);
      filled += taken.length;
      rest = rest.subarray(taken.length);
    }
  }
  yield { bytes: piece.subarray(0, filled), isLast: true };
}
