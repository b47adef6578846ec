import { isObject, type JsonObject } from "../../json";
import { invalid, Problem } from "../../problem";

const jsonType = /^application\/(?:[a-z0-9.+-]+\+)?json(?:\s*;|$)/i;

/** The 413 of a body that has more bytes than it may. */
export const tooLarge = (limit: number) =>
  new Problem("payload_too_large", { message: `The body is too large: it has at most ${limit} bytes.` });

/** Bytes of the body, at most `limit`; 413 `payload_too_large` beyond, without reading further. */
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

/** Chunks one behind the other, of `size` bytes in all. */
export function joinBytes(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/** UTF-8 text of the bytes; 400 `validation_failed` when they are not UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch (cause) {
    throw new Problem("validation_failed", { field_errors: { body: ["invalid"] }, cause });
  }
}

/**
 * How a JSON body is read: `limit` in bytes (default 64 KiB); `optional`: an empty one is `{}`; `listAs`: the field that an
 * array without an object around it stands for; `maxDepth`: levels of nesting, for bodies that are walked by recursion.
 */
export type JsonOptions = { limit?: number; optional?: boolean; listAs?: string; maxDepth?: number };

/** The JSON object of a request; 413, 415, 400. No media type is read as JSON. */
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

/** Whether a value nests deeper than so many levels; level by level, since recursion would exhaust the stack. */
function isDeeper(value: JsonObject, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((inner) => (typeof inner === "object" && inner !== null ? Object.values(inner) : []));
  }
  return false;
}

/** The JSON object of a text; 400 `body: [invalid]` for anything else. */
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
