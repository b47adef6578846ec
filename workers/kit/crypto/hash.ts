import { bytesToHex, utf8ToBytes } from "./encoding";

/** Returns the SHA-256 of bytes. */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes)));
}

/** Returns the SHA-256 of the UTF-8 text as 64 lower-case hex characters. */
export async function sha256Hex(text: string): Promise<string> {
  return bytesToHex(await sha256(utf8ToBytes(text)));
}

/** Returns the HMAC-SHA-256 of the UTF-8 text: 32 bytes. */
export async function hmacSha256(keyBytes: Uint8Array, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new Uint8Array(keyBytes), algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8ToBytes(text)));
}

/** Returns the HMAC-SHA-256 of the UTF-8 text as 64 lower-case hex characters. */
export async function hmacHex(keyBytes: Uint8Array, text: string): Promise<string> {
  return bytesToHex(await hmacSha256(keyBytes, text));
}

// workerd has a native comparison that Node lacks.
const native = crypto.subtle as { timingSafeEqual?: (a: Uint8Array, b: Uint8Array) => boolean };

/** Compares in constant time: the duration depends only on the length of `a`. */
export function timingSafeEqual(a: Uint8Array | string, b: Uint8Array | string): boolean {
  const left = typeof a === "string" ? utf8ToBytes(a) : a;
  const right = typeof b === "string" ? utf8ToBytes(b) : b;
  const isSameLength = left.length === right.length;
  // When the lengths differ, `a` is compared with itself, which takes the same time.
  const isEqual = isEqualBytes(left, isSameLength ? right : left);
  return isSameLength && isEqual;
}

function isEqualBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (native.timingSafeEqual !== undefined) return native.timingSafeEqual(left, right);
  let difference = 0;
  for (let i = 0; i < left.length; i++) difference |= (left[i] ?? 0) ^ (right[i] ?? 0);
  return difference === 0;
}
