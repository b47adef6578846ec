import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isDirectory, isFile } from "./load/find.ts";

/** Returns the files of `static/` as paths with slashes. */
export function listStaticFiles(root: string): ReadonlySet<string> {
  return new Set(listFiles(join(root, "static")));
}

/**
 * Returns all files below a folder as sorted relative paths with slashes; empty if the folder is missing. Follows links
 * to files but not to folders.
 */
export function listFiles(folder: string, prefix = ""): string[] {
  if (!isDirectory(folder)) return [];
  const paths = readdirSync(folder, { withFileTypes: true }).flatMap((entry): string[] => {
    const path = `${prefix}${entry.name}`;
    if (entry.name === ".git" || entry.name === ".DS_Store") return [];
    if (entry.isDirectory()) return listFiles(join(folder, entry.name), `${path}/`);
    return entry.isFile() || (entry.isSymbolicLink() && isFile(join(folder, entry.name))) ? [path] : [];
  });
  return prefix === "" ? paths.toSorted() : paths;
}
