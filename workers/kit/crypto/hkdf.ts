import { utf8ToBytes } from "./encoding";

/**
 * Derives a sub-key of `bytes` bytes by HKDF-SHA-256 with an empty salt and the label as info. Each purpose needs its
 * own label, so that no two purposes share a key.
 */
export async function deriveKey(
  secret: string | Uint8Array,
  label: string,
  bytes = 32,
): Promise<Uint8Array<ArrayBuffer>> {
  const raw = typeof secret === "string" ? utf8ToBytes(secret) : new Uint8Array(secret);
  const key = await crypto.subtle.importKey("raw", raw, "HKDF", false, ["deriveBits"]);
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: utf8ToBytes(label) };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, bytes * 8));
}
