const MAX_SLICE_CHARS = 1_000_000;

/** The rows as JSON lists of at most 1 MB each; one row is always far smaller. */
export function toSlices(rows: readonly unknown[]): string[] {
  if (rows.length === 0) return [];
  const slices: string[] = [];
  let texts: string[] = [];
  let size = 2;
  for (const row of rows) {
    const text = JSON.stringify(row);
    if (size + text.length + 1 > MAX_SLICE_CHARS && texts.length > 0) {
      slices.push(`[${texts.join(",")}]`);
      texts = [];
      size = 2;
    }
    texts.push(text);
    size += text.length + 1;
  }
  slices.push(`[${texts.join(",")}]`);
  return slices;
}
