import { bytesToBase64url, bytesToHex } from "./encoding";

/** Returns `bytes` random bytes as unpadded base64url; the default is 256 bits in 43 characters. */
export function randomToken(bytes = 32): string {
  return bytesToBase64url(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** Returns `bytes` random bytes as lower-case hex, two characters each. */
export function randomHex(bytes: number): string {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** Returns `length` characters drawn uniformly from an alphabet of 2 to 256 UTF-16 units. */
export function randomFromAlphabet(alphabet: string, length: number): string {
  if (alphabet.length < 2 || alphabet.length > 256) throw new RangeError("alphabet must hold 2 to 256 characters");
  // Bytes at or above the largest multiple of the alphabet's length are discarded, because a plain modulo would favour
  // the first letters.
  const ceiling = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    // getRandomValues fills at most 65,536 bytes per call.
    const draw = new Uint8Array(Math.min(2 * (length - text.length), 65_536));
    for (const byte of crypto.getRandomValues(draw)) {
      if (byte < ceiling && text.length < length) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text;
}
