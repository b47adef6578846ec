import { ArchiveError } from "./archive-error";

export const BLOCK_BYTES = 512;

/** A header block. `name` is the name in this block, which a preceding header may replace. */
export type TarHeader = { name: string; size: number; typeflag: string };

/** Returns the header of a block, or null for a block of zeros, which ends an archive. Throws an ArchiveError. */
export function parseHeader(block: Uint8Array): TarHeader | null {
  if (block.every((byte) => byte === 0)) return null;
  // The checksum is computed with spaces in its own field.
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  if (sum !== parseNumber(block.subarray(148, 156))) throw new ArchiveError("The archive is not a valid tar file.");
  const isUstar = parseText(block.subarray(257, 263)) === "ustar";
  const prefix = isUstar ? parseText(block.subarray(345, 500)) : "";
  const name = parseText(block.subarray(0, 100));
  const size = parseNumber(block.subarray(124, 136));
  if (!Number.isSafeInteger(size)) throw new ArchiveError("The size of an entry is not valid.", name);
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    size,
    typeflag: String.fromCharCode(block[156] ?? 0),
  };
}

/** Returns the text of a field up to its first NUL. Throws an ArchiveError unless it is UTF-8. */
export function parseText(field: Uint8Array): string {
  const end = field.indexOf(0);
  return decodeName(end === -1 ? field : field.subarray(0, end));
}

function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ArchiveError("A name in the archive is not UTF-8.", "", { cause });
  }
}

/**
 * Returns the value of a number field: octal digits, or big-endian bytes after a byte with the highest bit (GNU). Returns NaN for
 * anything else.
 */
function parseNumber(field: Uint8Array): number {
  const [first = 0] = field;
  if (first >= 0x80) return field.reduce((value, byte, at) => value * 256 + (at === 0 ? byte & 0x7f : byte), 0);
  const digits = /^ *([0-7]*)[ \0]*$/.exec(decode(field))?.[1];
  return digits === undefined ? Number.NaN : Number.parseInt(digits || "0", 8);
}

/** Returns the records of an extended header (POSIX pax) by keyword. Throws an ArchiveError. */
export function parseRecords(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    // A record is `{length} {keyword}={value}\n`, and its length includes all of it.
    const length = Number(/^(\d{1,8}) /.exec(decode(bytes.subarray(at, at + 9)))?.[1]);
    const record = bytes.subarray(at, at + length);
    const start = String(length).length + 1;
    const isComplete = record.length === length && record.at(-1) === 0x0a;
    const [, keyword, value] = isComplete ? (/^([^=]+)=(.*)$/s.exec(decode(record.subarray(start, -1))) ?? []) : [];
    if (keyword === undefined || value === undefined) throw new ArchiveError("An extended header is not valid.");
    records.set(keyword, keyword === "path" ? decodeName(record.subarray(start + "path=".length, -1)) : value);
    at += length;
  }
  return records;
}

// Values of other keywords than `path` may be binary.
const decode = (bytes: Uint8Array) => new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes);
