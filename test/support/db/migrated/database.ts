import { readdirSync, readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { Service } from "../../../../scripts/support/services.ts";

export type StoredRow = Record<string, string | number | null>;
export type Tables = Record<string, StoredRow[]>;

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Returns the names of a service's migrations, without `.sql`, in order. */
export function migrationsOf(service: Service): string[] {
  const folder = fileURLToPath(new URL(`../../../../db/${service}/migrations/`, import.meta.url));
  const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return files.map((name) => name.replace(/\.sql$/, "")).sort();
}

/** Applies migrations as D1 does: each file in a transaction, with foreign keys. */
export function migrate(database: DatabaseSync, service: Service, migrations: string[]): void {
  for (const name of migrations) {
    const path = new URL(`../../../../db/${service}/migrations/${name}.sql`, import.meta.url);
    database.exec(`BEGIN;\n${readFileSync(path, "utf8")}\n;COMMIT;`);
  }
}

/** Inserts a row. */
export function insertRow(database: DatabaseSync, table: string, row: StoredRow): void {
  const names = Object.keys(row);
  const placeholders = names.map(() => "?").join(", ");
  database
    .prepare(`INSERT INTO ${quote(table)} (${names.map(quote).join(", ")}) VALUES (${placeholders})`)
    .run(...Object.values(row));
}

/** Returns all tables with their rows, without internal tables of SQLite and its search index. */
export function readTables(database: DatabaseSync): Tables {
  const virtual = database.prepare("SELECT name FROM pragma_table_list WHERE type = 'virtual'").all();
  const isShadow = (name: string) => virtual.some((table) => name.startsWith(`${table.name}_`));
  const tables = database
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !isShadow(name));
  return Object.fromEntries(
    tables.map((name) => [
      name,
      database
        .prepare(`SELECT * FROM ${quote(name)}`)
        .all()
        .map((row) => ({ ...row }) as StoredRow),
    ]),
  );
}
