import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadModule } from "../load.ts";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Where the email Worker finds its library. */
const target = pathOf("../../../.generated/docs/static/library/");

const rowsModule = pathOf("./library-rows.ts");

/**
 * SQL texts that load the present mail library into a database of email, for one transaction; with `isSmall` without the
 * designs that no default mail is made of, for tests.
 */
export async function libraryStatements({ isSmall = false } = {}): Promise<string[]> {
  const { presentLibraryTexts } = await loadModule<typeof import("./library-rows.ts")>(rowsModule);
  return presentLibraryTexts(isSmall);
}

/** Replaces a file in one step: a Worker of another run reads the old or the new one. */
function replaceFile(name: string, value: unknown): void {
  const draft = join(target, `.${name}.${process.pid}`);
  writeFileSync(draft, JSON.stringify(value));
  renameSync(draft, join(target, name));
}

/** Writes the present mail library among the assets of the Workers: `{version}.json`, and `manifest.json`, which names it. */
export async function writeLibraryAsset(): Promise<void> {
  const { composeLibrary } = await loadModule<typeof import("./library-rows.ts")>(rowsModule);
  const library = await composeLibrary();
  const file = `${library.version}.json`;
  mkdirSync(target, { recursive: true });
  if (existsSync(join(target, file))) return;
  replaceFile(file, library);
  replaceFile("manifest.json", { version: library.version });
  const stale = readdirSync(target).filter((name) => /^[0-9a-f]{64}\.json$/.test(name) && name !== file);
  for (const name of stale) rmSync(join(target, name), { force: true });
}
