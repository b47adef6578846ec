import { base64ToBytes, bytesToUtf8, utf8ToBytes } from "../../kit/crypto/encoding";
import { sha256Hex } from "../../kit/crypto/hash";
import { invalid } from "../../kit/problem";

const METADATA_BYTES = 8192;

/** The user's own keys: `x-metadata`, or the field `metadata` of a form; a JSON object or its base64, at most 8 KB. */
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
    // No JSON: the other spelling is tried, or it is refused.
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

/** What an upload with an Idempotency-Key (1 to 128 characters) is found again by; 400 otherwise. */
export async function uploadKeyOf(headers: Headers, userId: number): Promise<string | null> {
  const key = headers.get("idempotency-key");
  if (key === null) return null;
  if (!/^[\x21-\x7e]{1,128}$/.test(key)) throw invalid({ "idempotency-key": ["invalid"] });
  return (await sha256Hex(`${userId}:${key}`)).slice(0, 32);
}

/** `max-age=` of a number of seconds, as forms of clients give it, or the text as it is; at most 200 characters. */
export function readCacheControl(text: string | null | undefined, field = "cache-control"): string | null {
  const said = text?.trim() ?? "";
  if (said === "") return null;
  if (!/^[\x20-\x7e]{1,200}$/.test(said)) throw invalid({ [field]: ["invalid"] });
  return /^\d{1,10}$/.test(said) ? `max-age=${said}` : said;
}

/** Names of codings (RFC 9110 8.4), at most 100 characters: the bytes are stored and served as they came. */
export function readContentEncoding(text: string | null): string | null {
  const said = text?.trim().toLowerCase() ?? "";
  if (said === "" || said === "identity") return null;
  if (said.length > 100 || !/^[a-z0-9-]+(?:\s*,\s*[a-z0-9-]+)*$/.test(said)) {
    throw invalid({ "content-encoding": ["invalid"] });
  }
  return said;
}
