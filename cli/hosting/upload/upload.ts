import type { Output } from "../../commands/output.ts";
import { type App, type HostingApi, HostingError } from "../api.ts";
import { FolderError } from "./folder.ts";
import type { HashedFile } from "./manifest.ts";
import { runInParallel } from "./parallel.ts";
import { createProgress } from "./progress.ts";

const UPLOADS_AT_ONCE = 6;

/** Sends the files with these hashes, each once, six at a time. Returns the number of files and bytes that were sent. */
export async function uploadBlobs(
  api: HostingApi,
  app: App,
  files: readonly HashedFile[],
  hashes: readonly string[],
  { output, signal }: { output: Output; signal: AbortSignal },
): Promise<{ files: number; bytes: number }> {
  const byHash = new Map(files.map((file) => [file.sha256, file]));
  const blobs = hashes.flatMap((hash) => byHash.get(hash) ?? []);
  const total = { files: blobs.length, bytes: blobs.reduce((sum, { size }) => sum + size, 0) };
  const progress = createProgress(total, output);
  try {
    // The largest files first, so that no large one remains alone at the end.
    await runInParallel(
      blobs.toSorted((a, b) => b.size - a.size),
      UPLOADS_AT_ONCE,
      signal,
      async (file) => {
        await api.put(`apps/${app.id}/blobs/${file.sha256}`, { path: file.file, size: file.size }).catch((error) => {
          throw explain(error, file);
        });
        progress.add(file.size);
      },
    );
  } finally {
    progress.clear();
  }
  return total;
}

/** Returns the error of an upload. A file that no longer has its hash was changed while it was deployed. */
function explain(error: unknown, { path }: HashedFile): unknown {
  const hasChanged =
    error instanceof HostingError
      ? error.code === "blob_hash_mismatch" || error.code === "blob_size_mismatch"
      : error instanceof Error &&
        "code" in error &&
        (error.code === "ENOENT" || error.code === "ERR_INVALID_ARG_VALUE");
  if (!hasChanged) return error;
  return new FolderError(`file-changed: ${path} changed while it was deployed. Run the command again.`);
}
