import { utf8ToBytes } from "../crypto/encoding";
import { sha256, timingSafeEqual } from "../crypto/hash";
import { SettingError, settingText } from "../settings";

/** The prefix that tells an operator key from other bearers. */
const PREFIX = "opk_";
const MIN_LENGTH = 32;

/** The secret `OPERATOR_KEY`: `opk_` and at least 28 more characters; empty: no operator key is accepted. */
export function parseOperatorKey(raw: unknown): string {
  const key = settingText(raw);
  if (key !== "" && (!key.startsWith(PREFIX) || key.length < MIN_LENGTH)) {
    throw new SettingError("OPERATOR_KEY", "opk_ and at least 28 random characters");
  }
  return key;
}

/** Whether a bearer claims to be an operator key at all. */
export function looksLikeOperatorKey(bearer: string): boolean {
  return bearer.startsWith(PREFIX);
}

/** Whether the bearer is the operator key, in constant time. */
export async function isOperatorKey(bearer: string, key: string): Promise<boolean> {
  const [given, expected] = await Promise.all([sha256(utf8ToBytes(bearer)), sha256(utf8ToBytes(key))]);
  return key !== "" && timingSafeEqual(given, expected);
}
