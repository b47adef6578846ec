import { base64ToBytes, bytesToBase64, utf8ToBytes } from "../../crypto/encoding";
import { hmacSha256 } from "../../crypto/hash";

const PREFIX = "whsec_";

/** Returns a new secret: `whsec_` and the base64 of 32 random bytes. */
export function generateSecret(): string {
  return PREFIX + bytesToBase64(crypto.getRandomValues(new Uint8Array(32)));
}

/**
 * Returns whether a secret from a client is valid: 1 to 256 characters. After the prefix `whsec_` it must be padded
 * base64 of at least one byte.
 */
export function isSecret(secret: string): boolean {
  if (secret.length < 1 || secret.length > 256) return false;
  if (!secret.startsWith(PREFIX)) return !/\p{Surrogate}/u.test(secret);
  const encoded = secret.slice(PREFIX.length);
  if (encoded === "" || encoded.length % 4 !== 0) return false;
  try {
    return base64ToBytes(encoded).length > 0;
  } catch {
    return false;
  }
}

/** Returns the part of a secret that may be shown: its last 4 characters, or `****` when it has fewer than 12. */
export function hintOf(secret: string): string {
  const characters = [...secret];
  return characters.length < 12 ? "****" : characters.slice(-4).join("");
}

/**
 * Returns the value of the `webhook-signature` header: one `v1,{base64}` per secret, separated by spaces. `timestamp`
 * is in unix seconds; `body` is the text whose UTF-8 bytes are sent. The secrets must be valid, which is checked when
 * they are saved.
 */
export async function sign(
  secrets: readonly string[],
  message: { id: string; timestamp: number; body: string },
): Promise<string> {
  const { id, timestamp, body } = message;
  const signatures = secrets.map(async (secret) => {
    const key = secret.startsWith(PREFIX) ? base64ToBytes(secret.slice(PREFIX.length)) : utf8ToBytes(secret);
    return `v1,${bytesToBase64(await hmacSha256(key, `${id}.${timestamp}.${body}`))}`;
  });
  return (await Promise.all(signatures)).join(" ");
}
