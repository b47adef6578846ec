import { decodeField, make as makeParser, type PartInfo } from "multipasta";
import { mediaTypeOf } from "../http/request/form";
import { invalid, Problem } from "../problem";
import { chunksOf, declaredLength } from "./body";

const MAX_FIELD_BYTES = 65_536;
const DASH = 0x2d;
const MAX_FIELDS = 20;

/** The bytes of an upload as they arrive, with the metadata of the form. */
export type Incoming = {
  chunks: AsyncGenerator<Uint8Array>;
  /** null when not declared */
  length: number | null;
  contentType: string | null;
  fields: Record<string, string>;
};

/** Opens the file of a request: its body, or the first file of a multipart form. Throws 400 `body: [invalid]`. */
export async function openBody(request: Request): Promise<Incoming> {
  if (mediaTypeOf(request) === "multipart/form-data") return openForm(request);
  return {
    chunks: chunksOf(request),
    length: declaredLength(request),
    contentType: request.headers.get("content-type"),
    fields: {},
  };
}

/**
 * Reads a form up to the header of its first file, and the fields before it. Rejects anything after the file, because
 * it would arrive after the file was stored.
 */
async function openForm(request: Request): Promise<Incoming> {
  const fields: Record<string, string> = {};
  const pendingChunks: Uint8Array[] = [];
  let file: PartInfo | undefined;
  let isMalformed = false;
  let isDone = false;
  const parser = makeParser({
    headers: { "content-type": request.headers.get("content-type") ?? "" },
    isFile: (info) =>
      info.filename !== undefined || info.name === "file" || info.contentType === "application/octet-stream",
    maxParts: MAX_FIELDS,
    maxFieldSize: MAX_FIELD_BYTES,
    onField: (info, value) => {
      if (file !== undefined) isMalformed = true;
      else fields[info.name] = decodeField(info, value);
    },
    onFile: (info) => {
      if (file !== undefined) isMalformed = true;
      file ??= info;
      const isThisFile = file === info;
      return (chunk) => {
        if (chunk !== null && isThisFile && chunk.length > 0) pendingChunks.push(chunk.slice());
      };
    },
    onError: () => {
      isMalformed = true;
    },
    onDone: () => {
      isDone = true;
    },
  });
  const incoming = keepDashesTogether(chunksOf(request));
  /** Reads the next chunk; returns false at the end. */
  const pull = async (): Promise<boolean> => {
    const { done, value } = await incoming.next();
    try {
      if (done) parser.end();
      else parser.write(value);
    } catch (cause) {
      throw new Problem("validation_failed", { field_errors: { body: ["invalid"] }, cause });
    }
    if (isMalformed) throw isDone || !done ? invalid({ body: ["invalid"] }) : new Problem("incomplete_body");
    return !done;
  };
  while (file === undefined) {
    if (!(await pull())) throw isDone ? invalid({ file: ["required"] }) : new Problem("incomplete_body");
  }
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      for (let next = pendingChunks.shift(); next !== undefined; next = pendingChunks.shift()) yield next;
      if (!(await pull())) break;
    }
    yield* pendingChunks.splice(0);
    if (!isDone) throw new Problem("incomplete_body");
  }
  return { chunks: chunks(), length: null, contentType: declaredType(file), fields };
}

/**
 * Returns the media type that the part declares, with parameters, or null. The parser's `contentType` has a default
 * value for parts that declare none.
 */
const declaredType = ({ headers }: PartInfo): string | null => [headers["content-type"] ?? []].flat()[0] ?? null;

/**
 * Yields the bytes of `chunks`, but moves up to two trailing dashes of a chunk to the next chunk. The parser misses a closing
 * boundary that is split between its two dashes.
 */
async function* keepDashesTogether(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let heldBack = new Uint8Array();
  for await (const chunk of chunks) {
    const bytes = heldBack.length === 0 ? chunk : concatenate(heldBack, chunk);
    let end = bytes.length;
    while (end > 0 && bytes.length - end < 2 && bytes[end - 1] === DASH) end -= 1;
    heldBack = bytes.slice(end);
    if (end > 0) yield bytes.subarray(0, end);
  }
  if (heldBack.length > 0) yield heldBack;
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
