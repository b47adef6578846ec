/**
 * Compares strings by their UTF-8 bytes, as the database sorts them: negative, 0 or positive. JavaScript compares UTF-16 units,
 * which sort characters above U+FFFF before U+E000; UTF-8 sorts them last.
 */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [x, y] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Returns the sort rank of a UTF-16 unit. Surrogates rank after all other units. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);
