import { utf8ToBytes } from "../../kit/crypto/encoding";
import { invalid } from "../../kit/problem";

/** Maximum length of a path in UTF-8 bytes. */
export const MAX_PATH_BYTES = 1024;
const MAX_SEGMENT_BYTES = 255;
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** The last segment of a folder marker: an empty object that keeps a folder. */
export const MARKER = ".emptyFolderPlaceholder";

/**
 * Normalizes a path: applies NFC, turns backslashes into slashes, and drops outer slashes and empty or `.` segments. Throws
 * 400 `[invalid]` for `field` on `..`, control characters, more than 1,024 bytes, a segment of more than 255 bytes, or an
 * empty result.
 */
export function readPath(text: string, field = "path"): string {
  const path = readFolder(text, field);
  if (path === "") throw invalidField(field);
  return path;
}

/** Like readPath, but an empty result is allowed and means the top of the bucket. */
export function readFolder(text: string, field = "prefix"): string {
  const segments = text
    .normalize("NFC")
    .replaceAll("\\", "/")
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".");
  const path = segments.join("/");
  const isValid =
    !unprintable.test(path) &&
    fits(path, MAX_PATH_BYTES) &&
    segments.every((segment) => segment !== ".." && fits(segment, MAX_SEGMENT_BYTES));
  if (!isValid) throw invalidField(field);
  return path;
}

/** Returns the path after the first `segments` segments of a URL: percent-decoded once, then normalized by readPath. */
export const readUrlPath = (request: Request, segments: number): string =>
  readPath(decodeOnce(rawUrlPath(request, segments)));

/** Returns the path after the first `segments` segments of a URL, as the client sent it. */
export const rawUrlPath = (request: Request, segments: number): string =>
  new URL(request.url).pathname
    .split("/")
    .slice(1 + segments)
    .join("/");

/** Decodes percent-encoded UTF-8. Throws 400 `path: [invalid]`. */
export function decodeOnce(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    // Bytes that are not UTF-8 cannot name an object.
    throw invalidField("path");
  }
}

/** Validates a name prefix, which contains no slash. Throws 400 `[invalid]` for `field`. */
export function readSearch(text: string, field = "search"): string {
  const search = text.normalize("NFC");
  if (/[/\\]/.test(search) || unprintable.test(search) || !fits(search, MAX_SEGMENT_BYTES)) {
    throw invalidField(field);
  }
  return search;
}

/** Returns whether the UTF-8 form has at most `maxBytes` bytes. Short text need not be encoded: a UTF-16 unit has at most 3. */
const fits = (text: string, maxBytes: number) => 3 * text.length <= maxBytes || utf8ToBytes(text).length <= maxBytes;

const invalidField = (field: string) => invalid({ [field]: ["invalid"] });

// Paths never contain these characters, because control characters are rejected.
const SEGMENT_END = "\u0001";
const AFTER_SEGMENT_END = "\u0002";
/** Sorts after every segment of a path: it is 256 bytes of the highest character, and a segment has at most 255 bytes. */
const HIGHEST = "\u{10ffff}".repeat(64);

/**
 * Encodes a folder for the column `parent`. Each segment ends in U+0001, which sorts before all other characters. Folders
 * therefore sort by name, and each folder is followed by everything below it. The top of the bucket is an empty string.
 */
export const parentKey = (folder: string): string => `${folder.replaceAll("/", SEGMENT_END)}${folder && SEGMENT_END}`;

/** Returns the encoded folder of a path. */
export const parentOf = (path: string): string => parentKey(path.slice(0, Math.max(0, path.lastIndexOf("/"))));

/** A range of names from `start` (inclusive) to `end` (exclusive). */
export type NameRange = { start: string; end: string };

/**
 * Returns the range of the paths below a folder that continue with `text` after the path of the folder. At the top of the
 * bucket, without `text`, this is the whole bucket.
 */
export function namesFrom(folder: string, text = ""): NameRange {
  const start = `${folder && `${folder}/`}${text}`;
  return { start, end: `${start}${HIGHEST}` };
}

/** Like namesFrom, for encoded folders (parentKey). */
export function foldersFrom(folder: string, text = ""): NameRange {
  const start = `${parentKey(folder)}${text}`;
  return { start: `${start}${SEGMENT_END}`, end: `${start}${HIGHEST}` };
}

/** Returns the rest of a range after a name, in either sort order. */
export const namesAfter = (range: NameRange, name: string, isDescending: boolean): NameRange =>
  isDescending ? { ...range, end: name } : { ...range, start: `${name}${SEGMENT_END}` };

/** Returns the rest of a range after a folder and everything below it. */
export const foldersAfter = (range: NameRange, folder: string, isDescending: boolean): NameRange =>
  isDescending
    ? { ...range, end: parentKey(folder) }
    : { ...range, start: `${parentKey(folder).slice(0, -1)}${AFTER_SEGMENT_END}` };

/** Returns the last segment of a path. */
export const basenameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Returns whether an object is a folder marker and not a file. */
export const isMarker = (path: string, size: number): boolean => size === 0 && basenameOf(path).endsWith(MARKER);
