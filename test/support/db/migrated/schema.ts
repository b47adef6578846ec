import { DatabaseSync } from "node:sqlite";
import type { Service } from "../../../../scripts/support/services.ts";
import { migrate, migrationsOf } from "./database.ts";

/** The tables in which SQLite keeps a search index. Creating the index creates them. */
const isIndexTable = (name: string) => /_search_(?:data|idx|content|docsize|config)$/.test(name);

const RECENT_MS = 60_000;

/** Returns whether a migration has set a value to the current time (unix ms). */
export const isCurrentTime = (value: unknown): boolean =>
  typeof value === "number" && Math.abs(value - Date.now()) < RECENT_MS;

/** Returns a database in memory after all migrations of a service. */
export function migrateInMemory(service: Service): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  migrate(database, service, migrationsOf(service));
  return database;
}

/**
 * Returns the statements that create what the migrations of a service leave: tables, indexes, triggers and rows. They take a
 * fifth of the time of the migrations, and every test file creates a database.
 */
export function migratedSchema(service: Service): string[] {
  const database = migrateInMemory(service);
  const objects = database
    .prepare("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
    .all()
    .map(({ type, name, sql }) => ({ type: String(type), name: String(name), sql: String(sql) }))
    .filter(({ name }) => !isIndexTable(name) && !name.startsWith("sqlite_"));
  const tables = objects.filter(({ type }) => type === "table");
  const rows = tables.flatMap(({ name, sql }) =>
    sql.startsWith("CREATE VIRTUAL") ? indexOptions(database, name) : insertsOf(database, name),
  );
  database.close();
  const triggers = objects.filter(({ type }) => type === "trigger");
  const others = objects.filter(({ type }) => type !== "trigger");
  // The rows contain what triggers have written, so the triggers come last.
  return [...others.map(({ sql }) => sql), ...rows, ...triggers.map(({ sql }) => sql)];
}

/** Returns the statements that set the options of an FTS5 index. */
function indexOptions(database: DatabaseSync, table: string): string[] {
  const options = database.prepare(`SELECT k, quote(k) AS name, quote(v) AS value FROM ${table}_config`).all();
  return options
    .filter(({ k }) => k !== "version")
    .map(({ name, value }) => `INSERT INTO ${table} (${table}, rank) VALUES (${name}, ${value})`);
}

function insertsOf(database: DatabaseSync, table: string): string[] {
  const rows = database.prepare(`SELECT * FROM "${table}"`).all();
  return rows.map((row) => {
    const names = Object.keys(row).map((name) => `"${name}"`);
    return `INSERT INTO "${table}" (${names.join(", ")}) VALUES (${Object.values(row).map(literalOf).join(", ")})`;
  });
}

function literalOf(value: unknown): string {
  if (isCurrentTime(value)) return "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === "number" || value === null) return String(value);
  throw new Error(`A migration inserts a ${typeof value}, which migratedSchema does not copy.`);
}
