// Composes the built-in designs and default contents into a data migration of the email database. What a commit holds is
// never changed: other contents go into a new migration. `--check` writes nothing and exits 1 when one is missing.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findLibraryTarget } from "./support/library-migration.ts";
import { loadModule } from "./support/load.ts";

type MigrationModule = { writeLibraryMigration: () => Promise<string> };
type Journal = { entries: { idx: number; version: string; when: number; tag: string; breakpoints: boolean }[] };

const folder = "db/email/migrations";
const pathOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** True without git too: then nobody can tell who has applied the file. */
function isCommitted(name: string): boolean {
  const { status, error } = spawnSync("git", ["cat-file", "-e", `HEAD:${folder}/${name}`], { cwd: pathOf("") });
  return error !== undefined || status === 0;
}

/** Tells drizzle-kit, which numbers the migrations, of a new one. */
function noteInJournal(tag: string): void {
  const path = pathOf(`${folder}/meta/_journal.json`);
  const journal = JSON.parse(readFileSync(path, "utf8")) as Journal;
  if (journal.entries.some((entry) => entry.tag === tag)) return;
  journal.entries.push({ idx: Number(tag.slice(0, 4)), version: "6", when: Date.now(), tag, breakpoints: true });
  writeFileSync(path, JSON.stringify(journal, null, 2));
}

const { writeLibraryMigration } = await loadModule<MigrationModule>(
  pathOf("workers/email/content/library/migration.ts"),
);
const composed = await writeLibraryMigration();
const names = readdirSync(pathOf(folder)).filter((name) => name.endsWith(".sql"));
const files = names.map((name) => ({ name, text: readFileSync(pathOf(`${folder}/${name}`), "utf8") }));
const target = findLibraryTarget(files, composed, isCommitted);

if (target !== null && process.argv.includes("--check")) {
  console.error(`${folder} does not hold the present designs: run node scripts/compose-library.ts`);
  process.exitCode = 1;
} else if (target !== null) {
  writeFileSync(pathOf(`${folder}/${target}`), composed);
  noteInJournal(target.slice(0, -".sql".length));
}
