const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Encodes text as UTF-8. */
export function utf8ToBytes(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(encoder.encode(text));
}

/** Decodes UTF-8; throws a TypeError for invalid bytes. */
export function bytesToUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Encodes bytes as lower-case hex. */
export function bytesToHex(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return hex;
}

/** Decodes hex of either case; throws a TypeError for any other character or an odd length. */
export function hexToBytes(hex: string): Uint8Array<ArrayBuffer> {
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(hex)) throw new TypeError("not hex");
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Encodes bytes as base64 with padding. */
export function bytesToBase64(bytes: Uint8Array): string {
  // String.fromCharCode takes its input as arguments, so long inputs are converted in chunks.
  let binary = "";
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(binary);
}

/** Encodes the UTF-8 bytes of a text as base64. */
export function textToBase64(text: string): string {
  return bytesToBase64(utf8ToBytes(text));
}

/**
 * Decodes base64 with optional padding; throws a TypeError for any other character (including whitespace), a bad length
 * or unused bits that are not zero.
 */
export function base64ToBytes(base64: string): Uint8Array<ArrayBuffer> {
  const unpadded = base64.length % 4 === 0 ? base64.replace(/={1,2}$/, "") : base64;
  if (!/^[A-Za-z0-9+/]*$/.test(unpadded) || unpadded.length % 4 === 1) throw new TypeError("not base64");
  const bytes = Uint8Array.from(atob(unpadded), (char) => char.charCodeAt(0));
  // atob ignores the unused bits of the last character. Comparing with the re-encoded bytes rejects a second encoding
  // of the same bytes.
  const rest = bytesToBase64(bytes.subarray(bytes.length - (bytes.length % 3))).replace(/=+$/, "");
  if (!unpadded.endsWith(rest)) throw new TypeError("not base64");
  return bytes;
}

/** Encodes bytes as base64url without padding. */
export function bytesToBase64url(bytes: Uint8Array): string {
  return bytesToBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Decodes unpadded base64url; throws a TypeError for any other character or length. */
export function base64urlToBytes(base64url: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9_-]*$/.test(base64url)) throw new TypeError("not base64url");
  return base64ToBytes(base64url.replaceAll("-", "+").replaceAll("_", "/"));
}
