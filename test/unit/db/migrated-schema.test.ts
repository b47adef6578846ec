import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { services } from "../../../scripts/support/services.ts";
import { isCurrentTime, migratedSchema, migrateInMemory } from "../../support/db/migrated/schema.ts";

/** Returns every object of a database, and the rows of every table. */
function contentsOf(database: DatabaseSync) {
  const objects = database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name").all();
  const tables = objects.filter(({ type }) => type === "table").map(({ name }) => String(name));
  const rowsOf = (table: string) => database.prepare(`SELECT * FROM "${table}"`).all();
  const replaceTime = (_: string, value: unknown) => (isCurrentTime(value) ? "the time" : value);
  return {
    objects,
    rows: tables.map((table): [string, unknown] => [table, JSON.parse(JSON.stringify(rowsOf(table), replaceTime))]),
  };
}

it.each(services)("the tests of %s use the schema and the rows that its migrations leave", (service) => {
  const database = new DatabaseSync(":memory:");
  for (const statement of migratedSchema(service)) database.exec(statement);
  const migrated = contentsOf(migrateInMemory(service));
  expect(migrated.objects.length).toBeGreaterThan(20);
  expect(contentsOf(database)).toEqual(migrated);
});
