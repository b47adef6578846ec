import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { filePathProblem, type PathProblem } from "../../../schemas/hosting/file-path.ts";

/** A file of a folder: its path in the deployment with slashes, and its path on this machine. */
export type FolderFile = { path: string; file: string };

export type Folder = {
  files: FolderFile[];
  /** the files and folders that are never deployed, as paths in the folder; a folder ends with a slash */
  skipped: string[];
};

/** Thrown when a folder cannot be deployed. The message begins with a code. */
export class FolderError extends Error {
  override readonly name = "FolderError";
}

/** The largest number of files that a service can be configured to accept. */
const MAX_FILES = 20_000;
const MAX_NAMED = 5;

/** Names of files and folders that no site needs. Those with secrets must never be published by accident. */
const skippedNames = /^(?:\.git|node_modules|\.DS_Store|Thumbs\.db|\.npmrc|\.env(?:\..+)?)$/;

const reasons: Record<PathProblem, string> = {
  path_empty: "has no name",
  path_too_long: "has a path of more than 1,024 bytes",
  path_absolute: "has a path that begins with a drive letter",
  path_dot_segment: "has a path with . or ..",
  path_empty_segment: "has a path with an empty segment",
  path_invalid_character: "has a path with a backslash, ?, # or a control character",
  path_encoded: "has a path with an encoded slash, backslash, dot, percent sign or NUL",
};

/**
 * Lists the files of a folder, sorted by path. Dot files such as `.well-known/` are included. Throws a FolderError for a folder
 * that does not exist or has no files, for symbolic links, which could publish files outside of the folder, and for paths that no deployment may have.
 */
export function listFolder(folder: string): Folder {
  const files: FolderFile[] = [];
  const skipped: string[] = [];
  const problems: string[] = [];
  const walk = (prefix: string): void => {
    for (const entry of readEntries(join(folder, prefix))) {
      const path = `${prefix}${entry.name}`;
      if (skippedNames.test(entry.name)) {
        skipped.push(entry.isDirectory() ? `${path}/` : path);
        continue;
      }
      if (entry.isDirectory()) {
        walk(`${path}/`);
        continue;
      }
      const problem = entry.isFile() ? filePathProblem(path) : null;
      if (entry.isSymbolicLink()) problems.push(`${path} is a symbolic link; replace it with the file`);
      else if (!entry.isFile()) problems.push(`${path} is not a regular file`);
      else if (problem !== null) problems.push(`${JSON.stringify(path)} ${reasons[problem]}`);
      files.push({ path, file: join(folder, path) });
      if (files.length > MAX_FILES)
        throw new FolderError(`too-many-files: ${folder} has more than ${MAX_FILES} files.`);
    }
  };
  walk("");
  if (problems.length > 0) {
    const more = problems.length > MAX_NAMED ? `; and ${problems.length - MAX_NAMED} more` : "";
    throw new FolderError(`unsupported-file: ${problems.slice(0, MAX_NAMED).join("; ")}${more}.`);
  }
  if (files.length === 0) throw new FolderError(`folder-empty: ${folder} has no files.`);
  return { files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)), skipped };
}

function readEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") throw new FolderError(`folder-not-found: ${folder} does not exist.`);
    if (code === "ENOTDIR") throw new FolderError(`folder-not-found: ${folder} is not a folder.`);
    throw new FolderError(`folder-not-readable: ${folder} cannot be read (${String(code ?? error)}).`);
  }
}
