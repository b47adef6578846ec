// Builds the shell into dist/shell, which `platform` serves and copies. `--if-older` builds only if a source is newer than
// the existing build.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildClient } from "./support/shell/client.ts";
import { builtShell, isShellCurrent, repository } from "./support/shell/current.ts";
import { buildIcons, buildPaint, buildSmallScripts, readPalettes, readTexts } from "./support/shell/parts.ts";
import { buildSdk } from "./support/shell/sdk.ts";

/** Builds into a temporary folder, then replaces dist/shell with it. */
export async function buildShell(): Promise<void> {
  const folder = join(repository, "dist", `.shell-${process.pid}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "assets"), { recursive: true });
  try {
    const [client, paint, icons] = await Promise.all([
      buildClient(repository, folder),
      buildPaint(repository, folder),
      buildIcons(repository, folder),
      buildSmallScripts(repository, folder),
      buildSdk(repository, folder),
      cp(join(repository, "cli/published"), folder, { recursive: true }),
    ]);
    const { palettes, texts } = { palettes: readPalettes(repository), texts: readTexts(repository) };
    writeFileSync(join(folder, "shell.json"), JSON.stringify({ ...client, ...paint, ...icons, texts, palettes }));
    const oldShell = `${folder}-old`;
    if (existsSync(builtShell)) renameSync(builtShell, oldShell);
    renameSync(folder, builtShell);
    rmSync(oldShell, { recursive: true, force: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const startedAt = performance.now();
  if (!process.argv.includes("--if-older") || !isShellCurrent()) {
    await buildShell();
    console.log(`dist/shell (${Math.round(performance.now() - startedAt)} ms)`);
  }
}
