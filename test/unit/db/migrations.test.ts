import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { Service } from "../../../scripts/support/services.ts";
import { insertRow, migrate, migrationsOf, readTables, type Tables } from "../../support/db/migrated/database.ts";
import { emailRows } from "./email-rows.ts";
import { identityRows } from "./identity-rows.ts";
import { eventRows, kitRows } from "./kit-rows.ts";
import { keyedEvents, keyedRows, messagesWithEvents } from "./rebuilt-tables.ts";
import { type Change, findLosses } from "./survival.ts";

const type = "hosting.access.changed";

/** The first release of each service: that release's newest migration, and rows in that release's format. */
const landed = {
  identity: { newest: "0011_actions_purge", rows: identityRows },
  email: { newest: "0007_library", rows: emailRows },
  hosting: { newest: "0000_init", rows: { event_log: eventRows(type), ...kitRows(type) } },
  storage: { newest: "0000_init", rows: { event_log: keyedRows(eventRows(type)), ...kitRows(type) } },
} satisfies Partial<Record<Service, { newest: string; rows: Tables }>>;
type Landed = keyof typeof landed;

/** Tables that later migrations rebuild or drop. A table without an entry keeps every row and column. */
const changes: Readonly<Partial<Record<Landed, Record<string, Change>>>> = {
  identity: keyedEvents,
  email: { ...keyedEvents, ...messagesWithEvents },
  hosting: keyedEvents,
};

/** Opens a database of the first release with its rows, and returns the later migrations. */
function openLanded(service: Landed): { database: DatabaseSync; later: string[] } {
  const database = new DatabaseSync(":memory:");
  const { newest, rows } = landed[service];
  const all = migrationsOf(service);
  const end = all.indexOf(newest) + 1;
  migrate(database, service, all.slice(0, end));
  for (const [table, values] of Object.entries(rows)) for (const row of values) insertRow(database, table, row);
  return { database, later: all.slice(end) };
}

describe.each(Object.keys(landed) as Landed[])("released database of %s", (service) => {
  it("has a row in every table", () => {
    const tables = readTables(openLanded(service).database);
    const empty = Object.entries(tables).flatMap(([name, rows]) => (rows.length === 0 ? [name] : []));
    expect(Object.keys(tables).length).toBeGreaterThan(5);
    expect(empty).toEqual([]);
  });

  it("keeps every row when it is migrated", () => {
    const { database, later } = openLanded(service);
    const before = readTables(database);
    migrate(database, service, later);
    expect(findLosses(before, readTables(database), changes[service])).toEqual([]);
    expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
    expect(database.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  });
});

describe("comparison of a database before and after its migration", () => {
  const migrated = (sql: string, expected: Record<string, Change> = {}) => {
    const { database } = openLanded("hosting");
    const before = readTables(database);
    database.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
    return findLosses(before, readTables(database), expected);
  };

  it.each([
    ["a lost row", "DELETE FROM action_deliveries WHERE seq = 9", /^action_deliveries lost .*"seq",9/],
    ["a changed value", "UPDATE action_counters SET value = 0 WHERE company_id = 7", /^action_counters lost .*41/],
    ["a lost column", "ALTER TABLE action_rules DROP COLUMN description", /^action_rules.description is gone/],
    ["a dropped table", "DROP TABLE action_hosts", /^action_hosts is gone/],
  ])("detects %s", (_description, sql, message) => {
    expect(migrated(sql)).toEqual([expect.stringMatching(message)]);
  });

  it("accepts a declared rebuild of a table", () => {
    const rebuild = `CREATE TABLE hosts (name TEXT PRIMARY KEY, failures INTEGER NOT NULL) WITHOUT ROWID;
      INSERT INTO hosts SELECT host, consecutive_failures FROM action_hosts; DROP TABLE action_hosts;`;
    const expected: Record<string, Change> = {
      action_hosts: {
        table: "hosts",
        rows: (before) => before.map((row) => ({ name: row.host ?? null, failures: row.consecutive_failures ?? null })),
      },
    };
    expect(migrated(rebuild, expected)).toEqual([]);
    expect(migrated(`${rebuild} DELETE FROM hosts;`, expected)).toEqual([expect.stringMatching(/^hosts lost /)]);
  });
});
