import { filePathProblem, type PathProblem } from "../../../schemas/hosting/file-path";
import type { HostingSettings } from "../settings";
import { ArchiveError } from "./archive-error";
import { gunzip } from "./gunzip";
import { readTar } from "./tar";

/** The limits of the files in an archive. */
export type ArchiveLimits = Pick<HostingSettings["limits"], "files" | "totalBytes" | "uploadBytes">;

/** A file of an archive, by its path in the deployment. */
export type ArchiveFile = { path: string; size: number; body: AsyncIterable<Uint8Array> };

/** Headers, names and padding of an entry, and what a tool writes after the last one. */
const OVERHEAD_BYTES = 4 * 1024;
const END_BYTES = 1024 * 1024;
/** An archive may have this many directories per file. */
const DIRECTORIES_PER_FILE = 4;

const problems: Readonly<Record<PathProblem, string>> = {
  path_empty: "The path is empty.",
  path_too_long: "The path is longer than 1,024 bytes.",
  path_absolute: "The path is absolute.",
  path_dot_segment: "The path contains `.` or `..`.",
  path_empty_segment: "The path contains `//`.",
  path_invalid_character:
    "The path contains a character that is not allowed: a backslash, `?`, `#` or a control character.",
  path_encoded: "The path contains an encoded slash, backslash, dot, NUL or percent sign.",
};

/**
 * Yields the files of a gzip tar archive as its bytes arrive, with the paths that they have in the deployment (without a leading
 * `./`). A body is valid until the next file. Throws an ArchiveError for everything that cannot be deployed; it is thrown before an
 * archive has expanded far beyond the limits.
 */
export async function* readArchive(
  source: AsyncIterable<Uint8Array>,
  limits: ArchiveLimits,
): AsyncGenerator<ArchiveFile> {
  const paths = new Set<string>();
  const maxEntries = limits.files * (1 + DIRECTORIES_PER_FILE);
  let [entries, totalBytes] = [0, 0];
  const maxBytes = limits.totalBytes + maxEntries * OVERHEAD_BYTES + END_BYTES;
  for await (const { path: entryPath, kind, size, body } of readTar(limitBytes(gunzip(source), maxBytes))) {
    entries += 1;
    if (entries > maxEntries) throw new ArchiveError(`The archive has more than ${maxEntries} entries.`);
    if (kind === "other") throw new ArchiveError("The entry is a link, a device or of an unknown kind.", entryPath);
    const path = pathOf(entryPath, kind === "directory");
    if (path === null) continue;
    checkPath(path);
    if (kind === "directory") continue;
    // Some file systems do not distinguish such paths, so one of the files would replace the other.
    const folded = path.normalize("NFC").toLowerCase();
    if (paths.has(folded)) throw new ArchiveError("The archive has this path twice, or twice but for its case.", path);
    paths.add(folded);
    if (paths.size > limits.files) throw new ArchiveError(`The archive has more than ${limits.files} files.`);
    if (size > limits.uploadBytes) throw new ArchiveError(`The file is larger than ${limits.uploadBytes} bytes.`, path);
    totalBytes += size;
    if (totalBytes > limits.totalBytes) {
      throw new ArchiveError(`The files have more than ${limits.totalBytes} bytes together.`);
    }
    yield { path, size, body };
  }
  if (paths.size === 0) throw new ArchiveError("The archive has no files.");
}

/** Returns the path of an entry in the deployment, or null for the root directory. */
function pathOf(entryPath: string, isDirectory: boolean): string | null {
  const path = isDirectory ? entryPath.replace(/\/$/, "") : entryPath;
  if (isDirectory && path === ".") return null;
  return path.replace(/^(?:\.\/)+/, "");
}

function checkPath(path: string): void {
  const problem = filePathProblem(path);
  if (problem !== null) throw new ArchiveError(problems[problem], path.slice(0, 200));
}

async function* limitBytes(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new ArchiveError(`The archive expands to more than ${maxBytes} bytes.`);
    yield chunk;
  }
}
