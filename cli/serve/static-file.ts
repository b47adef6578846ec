import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";

/** A byte range of a file; both ends are inclusive. */
export type Slice = { path: string; first: number; last: number };

type FileResponse = { status: 200 | 206 | 304 | 416; headers: Record<string, string>; slice?: Slice };

/**
 * Returns the response to a request for a file. The status is 200, 206 for one range, 304 or 416. A request for several
 * ranges gets the full file.
 */
export async function prepareFile(
  path: string,
  method: string | undefined,
  requestHeaders: IncomingHttpHeaders,
): Promise<FileResponse> {
  const { size, mtimeNs } = await stat(path, { bigint: true });
  const ETag = `"${size.toString(36)}-${mtimeNs.toString(36)}"`;
  const bytes = Number(size);
  const headers = { ETag, "Accept-Ranges": "bytes" };
  if (matchesETag(requestHeaders["if-none-match"], ETag)) return { status: 304, headers };
  const canUseRange = method === "GET" && (requestHeaders["if-range"] ?? ETag) === ETag;
  const range = canUseRange ? readRange(requestHeaders.range, bytes) : undefined;
  if (range === undefined) return { status: 200, headers, slice: { path, first: 0, last: bytes - 1 } };
  if (range === null) return { status: 416, headers: { ...headers, "Content-Range": `bytes */${bytes}` } };
  const [first, last] = range;
  return {
    status: 206,
    headers: { ...headers, "Content-Range": `bytes ${first}-${last}/${bytes}` },
    slice: { path, first, last },
  };
}

/** Sends the requested part of a file. Ignores errors if the client, such as a video player, disconnects early. */
export async function sendSlice({ path, first, last }: Slice, response: ServerResponse): Promise<void> {
  if (last < first) return void response.end();
  await pipeline(createReadStream(path, { start: first, end: last }), response).catch((error: unknown) => {
    if (!response.destroyed) throw error;
  });
}

const matchesETag = (header: string | undefined, tag: string) =>
  header !== undefined &&
  (header.trim() === "*" || header.split(",").some((entry) => entry.trim().replace(/^W\//, "") === tag));

/**
 * Parses the Range header for a file of `size` bytes. Returns null if the range is out of bounds. Returns undefined for a
 * missing or malformed header, and for several ranges.
 */
function readRange(text: string | undefined, size: number): [first: number, last: number] | null | undefined {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(text?.replace(/\s/g, "") ?? "") ?? [];
  if (from === "" && to === "") return undefined;
  if (from !== "" && to !== "" && Number(to) < Number(from)) return undefined;
  const first = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return first >= size ? null : [first, last];
}
