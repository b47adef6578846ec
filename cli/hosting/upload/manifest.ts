import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { contentTypeOf } from "../../serve/content-types.ts";
import { FolderError, type FolderFile } from "./folder.ts";
import { runInParallel } from "./parallel.ts";

/** A file of a deployment with the hash of its bytes. */
export type HashedFile = FolderFile & { sha256: string; size: number; type: string };

const FILES_AT_ONCE = 8;

/** Hashes files by streaming them. Throws a FolderError for a file that cannot be read. */
export async function hashFiles(files: readonly FolderFile[], signal: AbortSignal): Promise<HashedFile[]> {
  const hashed: HashedFile[] = [];
  await runInParallel(files, FILES_AT_ONCE, signal, async (entry, index) => {
    hashed[index] = { ...entry, ...(await hashFile(entry.file)), type: mediaTypeOf(entry.path) };
  });
  return hashed;
}

async function hashFile(file: string): Promise<{ sha256: string; size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
    }
  } catch (error) {
    throw new FolderError(`file-not-readable: ${error instanceof Error ? error.message : String(error)}`);
  }
  return { sha256: hash.digest("hex"), size };
}

/** Returns the media type of a path without parameters; the service adds the charset of texts. */
const mediaTypeOf = (path: string) => contentTypeOf(path).split(";", 1)[0] ?? "";

/** Returns the manifest of a deployment: hash, size and media type by path. */
export function toManifest(files: readonly HashedFile[]) {
  return Object.fromEntries(files.map(({ path, sha256, size, type }) => [path, { sha256, size, type }]));
}

/** Returns what the app responds to a path without a file: `404.html` if the folder has one, else `index.html`. */
export function notFoundOf(files: readonly FolderFile[]): "page" | "spa" {
  return files.some(({ path }) => path === "404.html") ? "page" : "spa";
}
