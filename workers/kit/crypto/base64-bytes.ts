/** Characters per step, a multiple of 4. Decoding in steps needs little memory beside the text and the bytes. */
const STEP = 32_768;

/** Returns the number of bytes in base64 text, from its length alone. */
export function base64Size(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor(((text.length - padding) * 3) / 4));
}

/** Decodes a large base64 text with optional padding. Returns null for any other character, including whitespace. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  const end =
    text.length % 4 === 0 ? text.length - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0) : text.length;
  if (end % 4 === 1) return null;
  const bytes = new Uint8Array(Math.floor((end * 3) / 4));
  let offset = 0;
  for (let at = 0; at < end; at += STEP) {
    const step = text.slice(at, Math.min(at + STEP, end));
    if (!/^[A-Za-z0-9+/]*$/.test(step)) return null;
    const binary = atob(step);
    for (let index = 0; index < binary.length; index++) bytes[offset + index] = binary.charCodeAt(index);
    offset += binary.length;
  }
  return bytes;
}
