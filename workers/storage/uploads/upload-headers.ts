import { base64ToBytes, bytesToUtf8, utf8ToBytes } from "../../kit/crypto/encoding";
import { sha256Hex } from "../../kit/crypto/hash";
import { invalid } from "../../kit/problem";

const METADATA_BYTES = 8192;

/**
 * Reads custom metadata from `x-metadata` or the form field `metadata`: a JSON object or its base64, at most 8 KB. Throws 400
 * for any other value.
 */
export function readMetadata(text: string | null, field = "x-metadata"): Record<string, unknown> | null {
  if (text === null || text === "") return null;
  const value = text.length <= 2 * METADATA_BYTES ? (parseObject(text) ?? parseObject(fromBase64(text))) : null;
  if (value === null || utf8ToBytes(JSON.stringify(value)).length > METADATA_BYTES)
    throw invalid({ [field]: ["invalid"] });
  return value;
}

function parseObject(text: string | null): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    // Not JSON: the caller tries base64 or rejects it.
    return null;
  }
}

function fromBase64(text: string): string | null {
  try {
    return bytesToUtf8(base64ToBytes(text));
  } catch {
    return null;
  }
}

/**
 * Returns a hash of user and Idempotency-Key (1 to 128 characters) that identifies repeats, or null without the header.
 * Throws 400 for a malformed key.
 */
export async function uploadKeyOf(headers: Headers, userId: number): Promise<string | null> {
  const key = headers.get("idempotency-key");
  if (key === null) return null;
  if (!/^[\x21-\x7e]{1,128}$/.test(key)) throw invalid({ "idempotency-key": ["invalid"] });
  return (await sha256Hex(`${userId}:${key}`)).slice(0, 32);
}

/**
 * Returns the Cache-Control value, at most 200 characters. A bare number of seconds, which form clients send, becomes
 * `max-age=`. Throws 400 for an invalid value.
 */
export function readCacheControl(text: string | null | undefined, field = "cache-control"): string | null {
  const value = text?.trim() ?? "";
  if (value === "") return null;
  if (!/^[\x20-\x7e]{1,200}$/.test(value)) throw invalid({ [field]: ["invalid"] });
  return /^\d{1,10}$/.test(value) ? `max-age=${value}` : value;
}

/**
 * Returns the content codings (RFC 9110 8.4), at most 100 characters, or null for none. The bytes are stored and served
 * unchanged.
 */
export function readContentEncoding(text: string | null): string | null {
  const codings = text?.trim().toLowerCase() ?? "";
  if (codings === "" || codings === "identity") return null;
  if (codings.length > 100 || !/^[a-z0-9-]+(?:\s*,\s*[a-z0-9-]+)*$/.test(codings)) {
    throw invalid({ "content-encoding": ["invalid"] });
  }
  return codings;
}
