import { isUnchanged } from "../http/etag";
import { Problem } from "../problem";
import { MINUTE_MS, SECOND_MS } from "../time";

/** A version of a file: its ETag in quotes, and when it was stored, in unix ms. */
export type Version = { tag: string; updatedAt: number };

/** First byte and number of bytes. */
export type Range = { offset: number; length: number };

/** Judges `If-Match` and `If-None-Match` of a change (RFC 9110 13.1) by the ETag of what stands now, null for nothing: 412. */
export function checkPreconditions(asked: Headers, tag: string | null): void {
  const [ifMatch, ifNoneMatch] = [asked.get("if-match"), asked.get("if-none-match")];
  if (ifMatch !== null && (tag === null || !isUnchanged(ifMatch, tag))) throw new Problem("precondition_failed");
  if (ifNoneMatch !== null && tag !== null && isUnchanged(ifNoneMatch, tag)) throw new Problem("precondition_failed");
}

/** Whether a client has this version, by its tag or else by its time: that of what a move has put there may be an older one. */
export function isStillValid(asked: Headers, { tag, updatedAt }: Version): boolean {
  const ifNoneMatch = asked.get("if-none-match");
  if (ifNoneMatch !== null) return isUnchanged(ifNoneMatch, tag);
  const since = Date.parse(asked.get("if-modified-since") ?? "");
  return !Number.isNaN(since) && inSeconds(updatedAt) === since;
}

/** Times of headers are whole seconds. */
const inSeconds = (ms: number): number => ms - (ms % SECOND_MS);

/** The one range of a request; null for the whole: none, several, another unit, or of another version (`If-Range`). */
export function readRange(
  asked: Headers,
  { tag, updatedAt, size }: Version & { size: number },
  now: number,
): Range | "unsatisfiable" | null {
  const found = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(asked.get("range") ?? "");
  const ifRange = asked.get("if-range");
  // Two versions of one second have the same time: it names a version only when it is a while ago (RFC 9110 8.8.2.2).
  const isTimeStrong = now - updatedAt >= MINUTE_MS;
  const isOfTime = isTimeStrong && Date.parse(ifRange ?? "") === inSeconds(updatedAt);
  const isSame = ifRange === null || ifRange === tag || isOfTime;
  if (found === null || !isSame) return null;
  const [first, last] = [found[1] ?? "", found[2] ?? ""];
  if (first === "" && last === "") return null;
  const offset = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null;
  return offset >= size || end < offset ? "unsatisfiable" : { offset, length: end - offset + 1 };
}
