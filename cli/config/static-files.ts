import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isDirectory, isFile } from "./load/find.ts";

/** The files of `static/`, as paths with slashes. */
export function listStaticFiles(root: string): ReadonlySet<string> {
  return new Set(listFiles(join(root, "static")));
}

/** All files below a folder, as sorted paths from it with slashes; none when there is no folder. Links lead to files only. */
export function listFiles(folder: string, below = ""): string[] {
  if (!isDirectory(folder)) return [];
  const paths = readdirSync(folder, { withFileTypes: true }).flatMap((entry): string[] => {
    const path = `${below}${entry.name}`;
    if (entry.name === ".git" || entry.name === ".DS_Store") return [];
    if (entry.isDirectory()) return listFiles(join(folder, entry.name), `${path}/`);
    return entry.isFile() || (entry.isSymbolicLink() && isFile(join(folder, entry.name))) ? [path] : [];
  });
  return below === "" ? paths.toSorted() : paths;
}
