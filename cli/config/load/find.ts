import { existsSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Finding } from "../../../schemas/shell/page.ts";
import { fileFinding } from "../findings.ts";

export const configNames = ["platform.config.ts", "platform.config.json"] as const;

export type ConfigLocation = { root: string; file: string } | { root: string; finding: Finding };

/**
 * Finds the configuration in `root`, else in the current directory. It is an error if a directory has both formats, or
 * if the root is not a directory.
 */
export function findConfig(rootArgument: string | undefined, cwd: string): ConfigLocation {
  const root = resolve(cwd, rootArgument ?? ".");
  if (!isDirectory(root)) {
    const name = rootArgument ?? root;
    const sentence = isFile(root)
      ? `"${name}" is a file. Pass the folder that contains ${configNames.join(" or ")}, or omit the argument.`
      : `"${name}" is not a directory. \`platform init ${name}\` creates one.`;
    return { root, finding: fileFinding("root-not-found", root, sentence) };
  }
  for (const directory of new Set([root, resolve(cwd)])) {
    const [first, second] = configNames.map((name) => join(directory, name)).filter((file) => isFile(file));
    if (first === undefined) continue;
    if (second === undefined) return { root, file: first };
    const sentence = `${configNames.join(" and ")} are both in ${directory}. Keep one of them.`;
    return { root, finding: fileFinding("config-conflict", second, sentence) };
  }
  const searchedFolders = [...new Set([root, resolve(cwd)])].map((directory) => relative(cwd, directory) || directory);
  const command = rootArgument === undefined ? "platform init" : `platform init ${rootArgument}`;
  const sentence = `No ${configNames.join(" or ")} in ${searchedFolders.join(" or ")}. \`${command}\` creates one.`;
  return { root, finding: fileFinding("config-not-found", join(root, configNames[0]), sentence) };
}

export function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

export function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
