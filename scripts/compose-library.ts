// Composes the built-in designs and default contents into the data migration of the email database.
// `--check` writes nothing and exits 1 when the file is not what the sources give.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { loadModule } from "./support/load.ts";

const MIGRATION = "db/email/migrations/0001_library.sql";

interface MigrationModule {
  writeLibraryMigration: () => Promise<string>;
}

const pathOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

async function readPresent(): Promise<string> {
  try {
    return await readFile(pathOf(MIGRATION), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

const { writeLibraryMigration } = await loadModule<MigrationModule>(pathOf("workers/email/library/migration.ts"));
const composed = await writeLibraryMigration();

if (!process.argv.includes("--check")) {
  await writeFile(pathOf(MIGRATION), composed);
} else if ((await readPresent()) !== composed) {
  console.error(`${MIGRATION} is not up to date: run node scripts/compose-library.ts`);
  process.exitCode = 1;
}
