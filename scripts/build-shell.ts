// Builds the shell into dist/shell: what `platform` serves and copies, and never builds itself. `--if-older` builds only when a
// source is newer than what is there.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildClient } from "./support/shell/client.ts";
import { buildIcons, buildPaint, buildSmallScripts, readPalettes, readTexts } from "./support/shell/parts.ts";
import { buildSdk } from "./support/shell/sdk.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));
const output = join(repository, "dist/shell");
const sources = [
  "shell",
  "schemas/shell",
  "cli/browser",
  "scripts/build-shell.ts",
  "scripts/support/shell",
  "package.json",
];

/** Builds beside the shell that is there, and takes its place at the end. */
export async function buildShell(): Promise<void> {
  const folder = join(repository, "dist", `.shell-${process.pid}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "assets"), { recursive: true });
  try {
    const [client, paint, icons] = await Promise.all([
      buildClient(repository, folder),
      buildPaint(repository),
      buildIcons(repository, folder),
      buildSmallScripts(repository, folder),
      buildSdk(repository, folder),
      cp(join(repository, "cli/published"), folder, { recursive: true }),
    ]);
    const { palettes, texts } = { palettes: readPalettes(repository), texts: readTexts(repository) };
    writeFileSync(join(folder, "shell.json"), JSON.stringify({ ...client, ...paint, ...icons, texts, palettes }));
    const old = `${folder}-old`;
    if (existsSync(output)) renameSync(output, old);
    renameSync(folder, output);
    rmSync(old, { recursive: true, force: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether the built shell is there and no source is newer. */
export function isShellCurrent(): boolean {
  const built = join(output, "shell.json");
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const startedAt = performance.now();
  if (!process.argv.includes("--if-older") || !isShellCurrent()) {
    await buildShell();
    console.log(`dist/shell (${Math.round(performance.now() - startedAt)} ms)`);
  }
}
