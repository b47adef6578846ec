import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadModule } from "../load.ts";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** The folder from which the email Worker reads its library. */
const target = pathOf("../../../.generated/docs/static/library/");

const rowsModule = pathOf("./library-rows.ts");

/**
 * Returns the SQL that loads the current mail library into the email database in one transaction. `isSmall` omits
 * designs that no default mail uses, for tests.
 */
export async function libraryStatements({ isSmall = false } = {}): Promise<string[]> {
  const { currentLibraryTexts } = await loadModule<typeof import("./library-rows.ts")>(rowsModule);
  return currentLibraryTexts(isSmall);
}

/** Replaces a file atomically, so that a running Worker reads either the old or the new file. */
function replaceFile(name: string, value: unknown): void {
  const draft = join(target, `.${name}.${process.pid}`);
  writeFileSync(draft, JSON.stringify(value));
  renameSync(draft, join(target, name));
}

/**
 * Writes the current mail library to the assets of the Workers: `{version}.json`, and `manifest.json` with the version.
 */
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
