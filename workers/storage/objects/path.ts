import { bytesToUtf8, utf8ToBytes } from "../../kit/crypto/encoding";
import { invalid } from "../../kit/problem";

/** UTF-8 bytes of a path at most. */
export const MAX_PATH_BYTES = 1024;
const MAX_SEGMENT_BYTES = 255;
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** The last segment of a folder marker: an empty object that keeps a folder. */
export const MARKER = ".emptyFolderPlaceholder";

/**
 * A path as it is stored: NFC, backslashes as slashes, without outer slashes, empty and `.` segments; 400 `[invalid]` under
 * `field` for `..`, control characters, more than 1,024 bytes, a segment of more than 255, or nothing left.
 */
export function readPath(text: string, field = "path"): string {
  const path = readFolder(text, field);
  if (path === "") throw refused(field);
  return path;
}

/** As readPath; nothing left is the top. */
export function readFolder(text: string, field = "prefix"): string {
  const segments = text
    .normalize("NFC")
    .replaceAll("\\", "/")
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".");
  const path = segments.join("/");
  const isRight =
    !unprintable.test(path) &&
    utf8ToBytes(path).length <= MAX_PATH_BYTES &&
    segments.every((segment) => segment !== ".." && utf8ToBytes(segment).length <= MAX_SEGMENT_BYTES);
  if (!isRight) throw refused(field);
  return path;
}

/** The path at the end of a URL, behind `segments` of its path: percent-decoded once, then as readPath. */
export const readUrlPath = (request: Request, segments: number): string =>
  readPath(decodeOnce(rawUrlPath(request, segments)));

/** The same as it stands in the URL. */
export const rawUrlPath = (request: Request, segments: number): string =>
  new URL(request.url).pathname
    .split("/")
    .slice(1 + segments)
    .join("/");

/** The text of percent-encoded UTF-8; 400 `path: [invalid]`. */
export function decodeOnce(raw: string): string {
  const bytes: number[] = [];
  for (let at = 0; at < raw.length; at++) {
    if (raw[at] !== "%") {
      bytes.push(...utf8ToBytes(raw[at] ?? ""));
      continue;
    }
    const hex = raw.slice(at + 1, at + 3);
    if (!/^[0-9a-fA-F]{2}$/.test(hex)) throw refused("path");
    bytes.push(Number.parseInt(hex, 16));
    at += 2;
  }
  try {
    return bytesToUtf8(Uint8Array.from(bytes));
  } catch {
    // Bytes that are no UTF-8 name nothing.
    throw refused("path");
  }
}

/** The beginning of a name, which has no slash; 400 `[invalid]` under `field`. */
export function readSearch(text: string, field = "search"): string {
  const search = text.normalize("NFC");
  if (/[/\\]/.test(search) || unprintable.test(search) || utf8ToBytes(search).length > MAX_SEGMENT_BYTES) {
    throw refused(field);
  }
  return search;
}

const refused = (field: string) => invalid({ [field]: ["invalid"] });

// No path holds one of these: control characters are refused.
const SEGMENT_END = "\u0001";
const BEHIND_SEGMENT_END = "\u0002";
/** Follows every segment of a path, of which the longest is shorter. */
const HIGHEST = "\u{10ffff}".repeat(64);

/**
 * A folder as it is stored in `parent`: each segment ends in U+0001, which comes before all other characters, so that folders
 * stand in the order of their names, each with all that is below it. Empty at the top.
 */
export const parentKey = (folder: string): string => `${folder.replaceAll("/", SEGMENT_END)}${folder && SEGMENT_END}`;

/** The folder of a path, as it is stored. */
export const parentOf = (path: string): string => parentKey(path.slice(0, Math.max(0, path.lastIndexOf("/"))));

/** A range of names, from `start` on and before `end`. */
export type NameRange = { start: string; end: string };

/** The names at and below a folder that begin with `text`; all of the bucket at the top. */
export function namesFrom(folder: string, text = ""): NameRange {
  const start = `${folder && `${folder}/`}${text}`;
  return { start, end: `${start}${HIGHEST}` };
}

/** The stored folders below a folder whose path begins with its name and `text`. */
export function foldersFrom(folder: string, text = ""): NameRange {
  const start = `${parentKey(folder)}${text}`;
  return { start: `${start}${SEGMENT_END}`, end: `${start}${HIGHEST}` };
}

/** What is left of a range behind a name, in one order or the other. */
export const namesBehind = (range: NameRange, name: string, isDescending: boolean): NameRange =>
  isDescending ? { ...range, end: name } : { ...range, start: `${name}${SEGMENT_END}` };

/** The same behind a folder with all that is below it. */
export const foldersBehind = (range: NameRange, folder: string, isDescending: boolean): NameRange =>
  isDescending
    ? { ...range, end: parentKey(folder) }
    : { ...range, start: `${parentKey(folder).slice(0, -1)}${BEHIND_SEGMENT_END}` };

/** The last segment of a path. */
export const basenameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Whether an object keeps a folder and is no file. */
export const isMarker = (path: string, size: number): boolean => size === 0 && basenameOf(path).endsWith(MARKER);
