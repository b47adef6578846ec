/** Characters of a name that a client is told. */
const MAX_NAME = 255;

/** What no name of a file has: control characters, those that turn the direction of what follows, separators of folders. */
const notInName = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}/\\]/gu;

/** `Content-Disposition` of RFC 6266: a name for old readers, and the whole one. */
export function attachment(given: string): string {
  const name = [...decodedName(given)].slice(0, MAX_NAME).join("").replace(notInName, "_");
  const plain = name.replace(/[^\x20-\x7e]|["%]/gu, "_");
  const whole = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}

/** A name that a client has encoded twice, as `storage-js` does in signed URLs; one that is no such thing stays. */
function decodedName(name: string): string {
  if (!/^(?:[\w .~!*'()-]|%[\da-f]{2})*$/i.test(name)) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    // Bytes that are no UTF-8 are not an encoding of a name.
    return name;
  }
}
