import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Do not import slow modules here, because `cli/platform.mjs` runs this file at each start.

export const repository = fileURLToPath(new URL("../../..", import.meta.url));
export const builtShell = join(repository, "dist/shell");

const sources = [
  "shell",
  "schemas/look",
  "schemas/shell",
  "cli/browser",
  "cli/published",
  "cli/page/icons.ts",
  "scripts/build-shell.ts",
  "scripts/support/shell",
  "package.json",
];

/** Returns whether the shell is built and no source is newer than the build. */
export function isShellCurrent(): boolean {
  const built = join(builtShell, "shell.json");
  if (!existsSync(built)) return false;
  const time = statSync(built).mtimeMs;
  return sources.every((path) => newestIn(join(repository, path)) <= time);
}

function newestIn(path: string): number {
  if (!existsSync(path)) return 0;
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}
