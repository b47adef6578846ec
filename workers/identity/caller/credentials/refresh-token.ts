import { base64urlToBytes, bytesToBase64url, hexToBytes } from "../../../kit/crypto/encoding";
import { timingSafeEqual } from "../../../kit/crypto/hash";
import type { IdentityServices } from "../../services";

const VERSION = 1;
const BODY_LENGTH = 21;

/**
 * Returns a refresh token: `prt_` + base64url of version (1 byte), session uuid (16), counter (4) and the HMAC-SHA-256 of
 * these bytes (32).
 */
export async function makeRefreshToken(keys: Uint8Array[], sid: string, counter: number): Promise<string> {
  const [key] = keys;
  if (!key) throw new Error("no refresh key");
  const body = new Uint8Array(BODY_LENGTH);
  body[0] = VERSION;
  body.set(hexToBytes(sid.replaceAll("-", "")), 1);
  new DataView(body.buffer).setUint32(17, counter);
  const token = new Uint8Array(BODY_LENGTH + 32);
  token.set(body);
  token.set(await hmac(key, body), BODY_LENGTH);
  return `prt_${bytesToBase64url(token)}`;
}

/**
 * Returns the session id and counter of a genuine refresh token, else null. Also accepts tokens that were signed with the
 * previous SECRET_KEY.
 */
export async function readRefreshToken(
  services: IdentityServices,
  token: string,
): Promise<{ sid: string; counter: number } | null> {
  if (!/^prt_[A-Za-z0-9_-]{71}$/.test(token)) return null;
  let bytes: Uint8Array;
  try {
    bytes = base64urlToBytes(token.slice(4));
  } catch {
    return null; // not canonical base64url, so not one of our tokens
  }
  if (bytes.length !== BODY_LENGTH + 32 || bytes[0] !== VERSION) return null;
  const body = bytes.slice(0, BODY_LENGTH);
  const presentedMac = bytes.slice(BODY_LENGTH);
  const expected = await Promise.all((await services.keys()).refresh.map((key) => hmac(key, body)));
  const genuine = expected.map((mac) => timingSafeEqual(mac, presentedMac)).includes(true);
  if (!genuine) return null;
  const hex = [...body.slice(1, 17)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const sid = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  return { sid, counter: new DataView(body.buffer).getUint32(17) };
}

async function hmac(keyBytes: Uint8Array, body: Uint8Array): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new Uint8Array(keyBytes), algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, new Uint8Array(body)));
}
