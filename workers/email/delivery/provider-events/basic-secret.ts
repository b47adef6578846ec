import { base64ToBytes, bytesToUtf8 } from "../../../kit/crypto/encoding";
import { timingSafeEqual } from "../../../kit/crypto/hash";

/**
 * Returns whether the password of `Authorization: Basic` (RFC 7617) is one of the secrets. Any user name is accepted. This is
 * for providers that cannot sign with a shared secret: the operator puts the secret into the webhook URL at the provider.
 */
export function hasBasicSecret(request: Request, secrets: readonly string[]): boolean {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  const text = encoded === undefined ? "" : decode(encoded);
  const password = text.slice(text.indexOf(":") + 1);
  return secrets.map((secret) => text !== "" && timingSafeEqual(secret, password)).some(Boolean);
}

function decode(encoded: string): string {
  try {
    return bytesToUtf8(base64ToBytes(encoded));
  } catch {
    // The value is not base64 or not UTF-8, so it is not a secret.
    return "";
  }
}
