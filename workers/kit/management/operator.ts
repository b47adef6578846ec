import { utf8ToBytes } from "../crypto/encoding";
import { sha256, timingSafeEqual } from "../crypto/hash";
import { schemaOf } from "../settings/setting-types";
import type { SettingType } from "../settings/settings";

/** The prefix that distinguishes an operator key from other bearer tokens. */
const PREFIX = "opk_";
const MIN_LENGTH = 32;

/** An operator key: `opk_` and at least 28 more characters. A blank value disables the operator key. */
export const operatorKey: SettingType<string> = () =>
  schemaOf("opk_ and at least 28 random characters", (key) =>
    key === "" || (key.startsWith(PREFIX) && key.length >= MIN_LENGTH) ? key : undefined,
  );

/** Returns whether a bearer token has the prefix of an operator key. */
export function looksLikeOperatorKey(bearer: string): boolean {
  return bearer.startsWith(PREFIX);
}

/** Returns whether the bearer token is the operator key; compares in constant time. */
export async function isOperatorKey(bearer: string, key: string): Promise<boolean> {
  const [actual, expected] = await Promise.all([sha256(utf8ToBytes(bearer)), sha256(utf8ToBytes(key))]);
  return key !== "" && timingSafeEqual(actual, expected);
}
