import { createHash } from "node:crypto";

/** A file of the site. */
export type SiteFile = { path: string; bytes: Buffer };

const maxCachedBytes = 2_000_000;
const neverCached = new Set(["_headers", "_redirects", "404.html", "sw.js"]);

/**
 * Inserts the list of files to cache into the prebuilt service worker. Each file has a hash of its content as revision,
 * unless its name contains a hash. Omits files over 2 MB, and omits page copies because one cached page serves every path
 * offline.
 */
export function injectFileList(worker: string, files: readonly SiteFile[], pageCopies: ReadonlySet<string>): string {
  const list = files
    .filter(({ path, bytes }) => bytes.length <= maxCachedBytes && !neverCached.has(path) && !pageCopies.has(path))
    .map(({ path, bytes }) => ({
      url: addressOf(path),
      revision: isHashed(path) ? null : createHash("sha256").update(bytes).digest("hex").slice(0, 16),
    }))
    .toSorted((a, b) => (a.url < b.url ? -1 : 1));
  const placeholder = "self.__WB_MANIFEST";
  if (!worker.includes(placeholder)) throw new Error("the built service worker has no placeholder for the file list");
  return worker.replace(placeholder, () => JSON.stringify(list));
}

/** Returns the path as a browser requests it. Characters such as @ are not encoded. */
function addressOf(path: string): string {
  return new URL(`http://site/${path.replace(/[%?#\\\s]/g, encodeURIComponent)}`).pathname;
}

function isHashed(path: string): boolean {
  return /^assets\/.*-[\w-]{8,}\.\w+$/.test(path);
}
