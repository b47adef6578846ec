import { bytesToBase64url } from "../../../kit/crypto/encoding";
import { hmacSha256, timingSafeEqual } from "../../../kit/crypto/hash";
import type { IdentityServices } from "../../services";

const macOf = async (key: Uint8Array, sid: string) => bytesToBase64url(await hmacSha256(key, `session-end\n${sid}`));

/** Returns a token that can only end this session: `<session id>.<HMAC-SHA-256 of the session id>`. The token is not stored. */
export async function makeSessionEndToken(services: IdentityServices, sid: string): Promise<string> {
  const [key] = (await services.keys()).sessionEnds;
  if (!key) throw new Error("no key for session-end tokens");
  return `${sid}.${await macOf(key, sid)}`;
}

/** Returns the session id of a genuine token, else null. Also accepts tokens that were signed with the previous SECRET_KEY. */
export async function readSessionEndToken(services: IdentityServices, token: string): Promise<string | null> {
  const [, sid = "", mac = ""] = /^([0-9a-f-]{36})\.([A-Za-z0-9_-]{43})$/.exec(token) ?? [];
  if (!sid) return null;
  const expected = await Promise.all((await services.keys()).sessionEnds.map((key) => macOf(key, sid)));
  return expected.map((candidate) => timingSafeEqual(candidate, mac)).includes(true) ? sid : null;
}
