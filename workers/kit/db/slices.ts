import { utf8ToBytes } from "../crypto/encoding";

const MAX_SLICE_BYTES = 1_000_000;

/**
 * Splits rows into lists of at most `maxBytes` of JSON each (1 MB by default), because D1 limits a bound value to 2 MB. A single
 * row is always far smaller.
 */
export function toSlices<T>(rows: readonly T[], maxBytes = MAX_SLICE_BYTES): T[][] {
  const slices: T[][] = [];
  let slice: T[] = [];
  let size = 2;
  for (const row of rows) {
    const length = utf8ToBytes(JSON.stringify(row)).length + 1;
    if (size + length > maxBytes && slice.length > 0) {
      slices.push(slice);
      slice = [];
      size = 2;
    }
    slice.push(row);
    size += length;
  }
  if (slice.length > 0) slices.push(slice);
  return slices;
}
