/** R2 takes 10,000 parts, all but the last of one size, of at least 5 MiB. */
const MAX_PARTS = 10_000;
const MEBIBYTE = 1024 * 1024;
const MIN_PART_BYTES = 8 * MEBIBYTE;
/** A resumable upload holds a part in memory, of which a Worker has 128 MB. */
export const MAX_PART_BYTES = 32 * MEBIBYTE;

/** What an object can have at most: 312.5 GiB. */
export const MAX_OBJECT_BYTES = MAX_PARTS * MAX_PART_BYTES;

/** Bytes of each part but the last: 8 MiB, and more where 10,000 of them would not do. */
export const partSizeFor = (size: number): number =>
  Math.max(MIN_PART_BYTES, Math.ceil(size / MAX_PARTS / MEBIBYTE) * MEBIBYTE);

export const partCountOf = (size: number, partSize: number): number => Math.ceil(size / partSize);
