// Migrates the local databases, loads the mail library, and stores rows and files. The argument is a DatabaseTask as JSON.
// Runs in its own process, because wrangler's local runtime installs handlers for Ctrl-C.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { D1Database, R2Bucket } from "@cloudflare/workers-types";
import { getPlatformProxy, unstable_readConfig as readConfig, unstable_splitSqlQuery as splitQueries } from "wrangler";
import type { DatabaseTask } from "./support/databases/databases.ts";
import { libraryStatements } from "./support/databases/library.ts";
import { joinStatements } from "./support/databases/statements.ts";
import { perService, type Service, services } from "./support/services.ts";

/** The table that `wrangler d1 migrations apply` also creates, so that neither tool repeats a migration of the other. */
const migrationsTable = `CREATE TABLE IF NOT EXISTS d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;

/** Runs statements in one transaction. */
async function runAll(database: D1Database, statements: string[]): Promise<void> {
  if (statements.length > 0) await database.batch(joinStatements(statements).map((text) => database.prepare(text)));
}

/**
 * Applies pending migrations in the order of their names. A batch applies each migration and records its name in one
 * transaction.
 */
async function migrate(database: D1Database, directory: string): Promise<void> {
  await database.prepare(migrationsTable).run();
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  const files = readdirSync(directory).filter((file) => file.endsWith(".sql") && !applied.has(file));
  for (const file of files.sort()) {
    const queries = splitQueries(readFileSync(join(directory, file), "utf8"));
    await runAll(database, [...queries, `INSERT INTO d1_migrations (name) VALUES ('${file}')`]);
  }
}

/**
 * Stores files unless the company already has some. Writes the bytes first, because a row without bytes would be a file
 * that cannot be read.
 */
async function addFiles(database: D1Database, bucket: R2Bucket, files: DatabaseTask["files"]): Promise<void> {
  if ((await database.prepare(files.existing).first()) !== null) return;
  for (const { key, text } of files.blobs) await bucket.put(key, text);
  await runAll(database, files.rows);
}

const { configs, database: path, rows, files }: DatabaseTask = JSON.parse(process.argv[2] ?? "");
const databases = perService((name) => {
  const [database] = readConfig({ config: configs[name] }).d1_databases;
  if (database?.migrations_dir === undefined) throw new Error(`${name} has no database with migrations`);
  return { ...database, binding: name, migrations_dir: resolve(dirname(configs[name]), database.migrations_dir) };
});
const library = await libraryStatements();
// All databases share one runtime, because starting one for each would take several times as long.
const configPath = join(path, "databases.json");
const { r2_buckets } = readConfig({ config: configs.storage });
writeFileSync(configPath, JSON.stringify({ name: "databases", d1_databases: Object.values(databases), r2_buckets }));
const { env, dispose } = await getPlatformProxy<Record<Service, D1Database> & { OBJECTS: R2Bucket }>({
  configPath,
  persist: { path: join(path, "v3") },
  remoteBindings: false,
});
try {
  for (const name of services) {
    await migrate(env[name], databases[name].migrations_dir);
    if (name === "email") await runAll(env[name], library);
    await runAll(env[name], rows[name]);
  }
  await addFiles(env.storage, env.OBJECTS, files);
} finally {
  await dispose();
}
