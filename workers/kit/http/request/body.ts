import { isObject, type JsonObject } from "../../json";
import { invalid, Problem } from "../../problem";

const jsonType = /^application\/(?:[a-z0-9.+-]+\+)?json(?:\s*;|$)/i;

/** Returns the 413 for a body that exceeds `limit` bytes. */
export const tooLarge = (limit: number) =>
  new Problem("payload_too_large", { message: `The body is too large: the limit is ${limit} bytes.` });

/** Returns the bytes of the body, at most `limit`; throws 413 `payload_too_large` without reading further. */
export async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > limit) throw tooLarge(limit);
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      await reader.cancel();
      throw tooLarge(limit);
    }
    chunks.push(value);
  }
  return joinBytes(chunks, size);
}

/** Joins chunks of `size` bytes in total. */
export function joinBytes(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/** Decodes UTF-8; throws 400 `validation_failed` for invalid bytes. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch (cause) {
    throw new Problem("validation_failed", { field_errors: { body: ["invalid"] }, cause });
  }
}

/**
 * Options for reading a JSON body. `limit`: bytes (default 64 KiB). `optional`: an empty body is `{}`. `listAs`: the
 * field that a top-level array is assigned to. `maxDepth`: levels of nesting, for bodies that are processed
 * recursively.
 */
export type JsonOptions = { limit?: number; optional?: boolean; listAs?: string; maxDepth?: number };

/** Reads the JSON object of a request; throws 413, 415 or 400. A missing media type is read as JSON. */
export async function readJson(request: Request, options: JsonOptions = {}): Promise<JsonObject> {
  const type = request.headers.get("content-type");
  if (type && !jsonType.test(type)) throw new Problem("unsupported_media_type");
  const text = decodeText(await readBytes(request, options.limit ?? 65_536));
  if (options.optional && text.trim() === "") return {};
  const value = parseJson(text);
  if (Array.isArray(value) && options.listAs !== undefined) return { [options.listAs]: value };
  const body = requireObject(value);
  if (options.maxDepth !== undefined && isDeeper(body, options.maxDepth)) throw invalid({ body: ["invalid"] });
  return body;
}

/**
 * Returns whether a value nests deeper than `levels`. It is iterative, because recursion could exhaust the stack. It does not copy
 * the numbers of long lists, which need several times the memory of their text.
 */
function isDeeper(value: JsonObject, levels: number): boolean {
  let level: object[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === levels) return level.some((inner) => valuesOf(inner).length > 0);
    level = level.flatMap((inner) => valuesOf(inner).filter((entry) => typeof entry === "object" && entry !== null));
  }
  return false;
}

const valuesOf = (value: object): unknown[] => (Array.isArray(value) ? value : Object.values(value));

/** Parses the JSON object of a text; throws 400 `body: [invalid]` for anything else. */
export const parseJsonObject = (text: string): JsonObject => requireObject(parseJson(text));

function requireObject(value: unknown): JsonObject {
  if (!isObject(value)) throw invalid({ body: ["invalid"] });
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Problem("validation_failed", { field_errors: { body: ["invalid"] }, cause });
  }
}
