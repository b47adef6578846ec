/** R2 accepts up to 10,000 parts. All parts but the last must have the same size, of at least 5 MiB. */
const MAX_PARTS = 10_000;
const MEBIBYTE = 1024 * 1024;
const MIN_PART_BYTES = 8 * MEBIBYTE;
/** Maximum size of a part, because a resumable upload holds one part in memory and a Worker has 128 MB. */
export const MAX_PART_BYTES = 32 * MEBIBYTE;

/** The maximum size of an object: 312.5 GiB. */
export const MAX_OBJECT_BYTES = MAX_PARTS * MAX_PART_BYTES;

/** Returns the size in bytes of each part but the last: 8 MiB, or more when 10,000 parts of 8 MiB are not enough. */
export const partSizeFor = (size: number): number =>
  Math.max(MIN_PART_BYTES, Math.ceil(size / MAX_PARTS / MEBIBYTE) * MEBIBYTE);

export const partCountOf = (size: number, partSize: number): number => Math.ceil(size / partSize);
