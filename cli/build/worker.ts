import { createHash } from "node:crypto";

/** A file of the site: bytes, or where to copy them from. */
export type SiteFile = { path: string; bytes: Buffer };

const largestKept = 2_000_000;
const notKept = new Set(["_headers", "_redirects", "404.html", "sw.js"]);

/**
 * Puts the list of files into the prebuilt worker: generated and static ones up to 2 MB each, by content. The name of a hashed
 * file is its revision. Copies of the page are one entry: whatever is opened offline, the shell is the same.
 */
export function injectFileList(worker: string, files: readonly SiteFile[], pageCopies: ReadonlySet<string>): string {
  const list = files
    .filter(({ path, bytes }) => bytes.length <= largestKept && !notKept.has(path) && !pageCopies.has(path))
    .map(({ path, bytes }) => ({
      url: addressOf(path),
      revision: isHashed(path) ? null : createHash("sha256").update(bytes).digest("hex").slice(0, 16),
    }))
    .toSorted((a, b) => (a.url < b.url ? -1 : 1));
  const place = "self.__WB_MANIFEST";
  if (!worker.includes(place)) throw new Error("the built worker has no place for its list of files");
  return worker.replace(place, () => JSON.stringify(list));
}

/** The address as a browser asks for it: it leaves signs such as @ as they are. */
function addressOf(path: string): string {
  return new URL(`http://site/${path.replace(/[%?#\\\s]/g, encodeURIComponent)}`).pathname;
}

function isHashed(path: string): boolean {
  return /^assets\/.*-[\w-]{8,}\.\w+$/.test(path);
}
