import { base64urlToBytes, bytesToBase64url, bytesToHex, bytesToUtf8, utf8ToBytes } from "./encoding";
import { sha256 } from "./hash";

/** One AES-256-GCM key; `id` is the first 8 hex characters of the SHA-256 of the raw key. */
export type SealKey = { id: string; key: CryptoKey };

/** The keys of a service: `current` seals and opens values, the `previous` keys only open them. */
export type KeyRing = { current: SealKey; previous: SealKey[] };

/** A sealed value that cannot be opened: unknown key, changed text, or different additional data. */
export class SealError extends Error {
  override readonly name = "SealError";
}

/** Imports a key ring from raw 32-byte keys; throws a SealError for a key of another length. */
export async function importKeyRing(currentRaw: Uint8Array, previousRaw: Uint8Array[]): Promise<KeyRing> {
  const [current, previous] = await Promise.all([importKey(currentRaw), Promise.all(previousRaw.map(importKey))]);
  return { current, previous };
}

async function importKey(raw: Uint8Array): Promise<SealKey> {
  if (raw.length !== 32) throw new SealError("a sealing key must hold 32 bytes");
  const key = await crypto.subtle.importKey("raw", new Uint8Array(raw), "AES-GCM", false, ["encrypt", "decrypt"]);
  return { id: bytesToHex(await sha256(raw)).slice(0, 8), key };
}

/** Seals text as `v1.{key id}.{iv}.{ciphertext}`. `aad` names where the value is stored and is required to open it. */
export async function seal(plaintext: string, keys: KeyRing, aad: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const algorithm = { name: "AES-GCM", iv, additionalData: utf8ToBytes(aad) };
  const ciphertext = await crypto.subtle.encrypt(algorithm, keys.current.key, utf8ToBytes(plaintext));
  return `${sealedBy(keys.current)}${bytesToBase64url(iv)}.${bytesToBase64url(new Uint8Array(ciphertext))}`;
}

/** Returns the prefix of every text that was sealed with this key. */
export const sealedBy = ({ id }: Pick<SealKey, "id">): string => `v1.${id}.`;

/** Opens a sealed text; throws a SealError for an unknown key, a changed text or different additional data. */
export async function open(sealed: string, keys: KeyRing, aad: string): Promise<string> {
  const [version, keyId, iv, ciphertext, ...rest] = sealed.split(".");
  if (version !== "v1" || keyId === undefined || iv === undefined || ciphertext === undefined || rest.length > 0) {
    throw new SealError("not a sealed value");
  }
  const sealKey = [keys.current, ...keys.previous].find((candidate) => candidate.id === keyId);
  if (sealKey === undefined) throw new SealError("sealed with an unknown key");
  try {
    const algorithm = { name: "AES-GCM", iv: base64urlToBytes(iv), additionalData: utf8ToBytes(aad) };
    const plaintext = await crypto.subtle.decrypt(algorithm, sealKey.key, base64urlToBytes(ciphertext));
    return bytesToUtf8(new Uint8Array(plaintext));
  } catch (cause) {
    throw new SealError("sealed value cannot be opened", { cause });
  }
}
