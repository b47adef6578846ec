import { base64ToBytes, bytesToUtf8 } from "../../../kit/crypto/encoding";
import { timingSafeEqual } from "../../../kit/crypto/hash";

/**
 * Whether the password of `Authorization: Basic` is one of the secrets (RFC 7617); any user name is accepted. For providers
 * that cannot sign with our secret: the webhook URL configured there contains it.
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
    // Not base64 or not UTF-8, so not a secret.
    return "";
  }
}
