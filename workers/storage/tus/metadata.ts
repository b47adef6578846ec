import { base64ToBytes, bytesToUtf8 } from "../../kit/crypto/encoding";
import { invalid } from "../../kit/problem";

const MAX_BYTES = 16_384;

/** Parses `Upload-Metadata`: keys with base64-encoded UTF-8 values. Throws 400 `upload-metadata: [invalid]`. */
export function readUploadMetadata(text: string | null): Map<string, string> {
  const values = new Map<string, string>();
  if (text === null || text.trim() === "") return values;
  if (text.length > MAX_BYTES) throw invalidMetadata();
  for (const pair of text.split(",")) {
    const [, key, value = ""] = /^\s*([^\s,]+)(?:[ ]+([A-Za-z0-9+/=_-]*))?\s*$/.exec(pair) ?? [];
    if (key === undefined || values.has(key)) throw invalidMetadata();
    values.set(key, decode(value));
  }
  return values;
}

function decode(value: string): string {
  try {
    return bytesToUtf8(base64ToBytes(value));
  } catch {
    // The value is not base64-encoded UTF-8.
    throw invalidMetadata();
  }
}

const invalidMetadata = () => invalid({ "upload-metadata": ["invalid"] });
