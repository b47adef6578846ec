import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Whether the shell must be rebuilt. Loads nothing heavy, because every start of the command in the repository runs this.

export const repository = fileURLToPath(new URL("../../..", import.meta.url));
export const builtShell = join(repository, "dist/shell");

const sources = [
  "shell",
  "schemas/shell",
  "cli/browser",
  "cli/published",
  "cli/page/icons.ts",
  "scripts/build-shell.ts",
  "scripts/support/shell",
  "package.json",
];

/** Whether the built shell is there and no source is newer. */
export function isShellCurrent(): boolean {
  const built = join(builtShell, "shell.json");
  if (!existsSync(built)) return false;
  const time = statSync(built).mtimeMs;
  return sources.every((path) => newestIn(join(repository, path)) <= time);
}

function newestIn(path: string): number {
  if (!existsSync(path)) return 0;
  const own = statSync(path);
  if (!own.isDirectory()) return own.mtimeMs;
  return Math.max(own.mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}
