import { isUnchanged } from "../http/etag";
import { Problem } from "../problem";
import { MINUTE_MS, SECOND_MS } from "../time";

/** A version of a file: its ETag in quotes, and its upload time in unix ms. */
export type Version = { tag: string; updatedAt: number };

/** A byte range of a file: the offset of its first byte, and its length in bytes. */
export type Range = { offset: number; length: number };

/**
 * Checks `If-Match` and `If-None-Match` of a change (RFC 9110 13.1); throws 412. `tag` is the ETag of the current file,
 * or null when there is none.
 */
export function checkPreconditions(requestHeaders: Headers, tag: string | null): void {
  const [ifMatch, ifNoneMatch] = [requestHeaders.get("if-match"), requestHeaders.get("if-none-match")];
  if (ifMatch !== null && (tag === null || !isUnchanged(ifMatch, tag))) throw new Problem("precondition_failed");
  if (ifNoneMatch !== null && tag !== null && isUnchanged(ifNoneMatch, tag)) throw new Problem("precondition_failed");
}

/**
 * Returns whether the client's cached version is current, by the ETag in `If-None-Match` or else by the time in
 * `If-Modified-Since`. The times must be equal, because a move can put an older file at a path.
 */
export function isStillValid(requestHeaders: Headers, { tag, updatedAt }: Version): boolean {
  const ifNoneMatch = requestHeaders.get("if-none-match");
  if (ifNoneMatch !== null) return isUnchanged(ifNoneMatch, tag);
  const since = Date.parse(requestHeaders.get("if-modified-since") ?? "");
  return !Number.isNaN(since) && inSeconds(updatedAt) === since;
}

/** Times in HTTP headers have a resolution of one second. */
const inSeconds = (ms: number): number => ms - (ms % SECOND_MS);

/**
 * Returns the byte range that a request asks for. Returns null, which means the whole file, for a request without a range,
 * with several ranges, with another unit, or with a range of another version (`If-Range`).
 */
export function readRange(
  requestHeaders: Headers,
  { tag, updatedAt, size }: Version & { size: number },
  now: number,
): Range | "unsatisfiable" | null {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(requestHeaders.get("range") ?? "");
  const ifRange = requestHeaders.get("if-range");
  // Two versions stored within one second have the same time. A time therefore identifies a version only when the version is
  // old enough: here, one minute (RFC 9110 8.8.2.2).
  const isTimeStrong = now - updatedAt >= MINUTE_MS;
  const isSameTime = isTimeStrong && Date.parse(ifRange ?? "") === inSeconds(updatedAt);
  const isSameVersion = ifRange === null || ifRange === tag || isSameTime;
  if (match === null || !isSameVersion) return null;
  const [first, last] = [match[1] ?? "", match[2] ?? ""];
  if (first === "" && last === "") return null;
  const offset = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null;
  return offset >= size || end < offset ? "unsatisfiable" : { offset, length: end - offset + 1 };
}
