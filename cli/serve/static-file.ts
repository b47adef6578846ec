import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";

/** Bytes of a file, the first and the last one included. */
export type Slice = { path: string; first: number; last: number };

type FileAnswer = { status: 200 | 206 | 304 | 416; headers: Record<string, string>; slice?: Slice };

/** How a file is answered: whole, one range of it, or not at all to who has it. Several ranges are answered with all of it. */
export async function answerFile(
  path: string,
  method: string | undefined,
  asked: IncomingHttpHeaders,
): Promise<FileAnswer> {
  const { size, mtimeNs } = await stat(path, { bigint: true });
  const ETag = `"${size.toString(36)}-${mtimeNs.toString(36)}"`;
  const bytes = Number(size);
  const headers = { ETag, "Accept-Ranges": "bytes" };
  if (isKnown(asked["if-none-match"], ETag)) return { status: 304, headers };
  const isWanted = method === "GET" && (asked["if-range"] ?? ETag) === ETag;
  const range = isWanted ? readRange(asked.range, bytes) : undefined;
  if (range === undefined) return { status: 200, headers, slice: { path, first: 0, last: bytes - 1 } };
  if (range === null) return { status: 416, headers: { ...headers, "Content-Range": `bytes */${bytes}` } };
  const [first, last] = range;
  return {
    status: 206,
    headers: { ...headers, "Content-Range": `bytes ${first}-${last}/${bytes}` },
    slice: { path, first, last },
  };
}

/** Sends the requested part of a file; a player may disconnect before the end. */
export async function sendSlice({ path, first, last }: Slice, response: ServerResponse): Promise<void> {
  if (last < first) return void response.end();
  await pipeline(createReadStream(path, { start: first, end: last }), response).catch((error: unknown) => {
    if (!response.destroyed) throw error;
  });
}

const isKnown = (known: string | undefined, tag: string) =>
  known !== undefined &&
  (known.trim() === "*" || known.split(",").some((one) => one.trim().replace(/^W\//, "") === tag));

/** One range of `size` bytes; null for one outside of them, undefined for none, for several, and for what is no range. */
function readRange(text: string | undefined, size: number): [first: number, last: number] | null | undefined {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(text?.replace(/\s/g, "") ?? "") ?? [];
  if (from === "" && to === "") return undefined;
  if (from !== "" && to !== "" && Number(to) < Number(from)) return undefined;
  const first = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return first >= size ? null : [first, last];
}
