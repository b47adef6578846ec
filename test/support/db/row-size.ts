/**
 * Largest row of a WITHOUT ROWID table without an overflow page, for 4 KB pages (SQLite file format, 1.6:
 * `((4096-12)*64/255)-23`).
 */
export const MAX_ROW_BYTES = 1002;

/** Returns the bytes of a stored row: header and values in the record format (SQLite file format, 2.1). */
export function rowBytes(row: Record<string, unknown>): number {
  const sizes = Object.values(row).map(valueBytes);
  const header = sizes.reduce<number>((sum, { typeBytes }) => sum + typeBytes, 0) + 2;
  return header + sizes.reduce<number>((sum, { bytes }) => sum + bytes, 0);
}

function valueBytes(value: unknown): { bytes: number; typeBytes: number } {
  if (value === null || value === 0 || value === 1) return { bytes: 0, typeBytes: 1 };
  if (typeof value === "number") return { bytes: integerBytes(Math.abs(value)), typeBytes: 1 };
  const bytes = new TextEncoder().encode(String(value)).length;
  // The type of a text is 13 + 2 * length, a varint of 7 bits per byte.
  return { bytes, typeBytes: 13 + 2 * bytes < 128 ? 1 : 2 };
}

/** Integers take 1, 2, 3, 4, 6 or 8 bytes. */
function integerBytes(value: number): number {
  const bits = Math.floor(Math.log2(value)) + 2;
  return ([8, 16, 24, 32, 48].find((size) => bits <= size) ?? 64) / 8;
}
