/** Maximum length of a file name in a response, in characters. */
const MAX_NAME = 255;

/**
 * Characters that a file name must not contain: control characters, bidirectional controls, line separators and
 * slashes.
 */
const notInName = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}/\\]/gu;

/** Returns a `Content-Disposition` header (RFC 6266) with the full name, and an ASCII name for old clients. */
export function attachment(fileName: string): string {
  const name = [...decodedName(fileName)].slice(0, MAX_NAME).join("").replace(notInName, "_");
  const plain = name.replace(/[^\x20-\x7e]|["%]/gu, "_");
  const encodedName = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodedName}`;
}

/** Decodes a name that the client encoded twice, as `storage-js` does in signed URLs; returns other names unchanged. */
function decodedName(name: string): string {
  if (!/^(?:[\w .~!*'()-]|%[\da-f]{2})*$/i.test(name)) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    // The decoded bytes are not UTF-8, so the client did not encode the name twice.
    return name;
  }
}
