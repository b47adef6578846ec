import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it, onTestFinished, vi } from "vitest";
import { prepareDatabases, wrangler } from "../../scripts/support/databases/databases.ts";
import { demo } from "../../scripts/support/databases/seed.ts";
import { runScript } from "../../scripts/support/processes/children.ts";
import { openWorkspace } from "../../scripts/support/start/workspace.ts";

const state = mkdtempSync(join(tmpdir(), "platform-databases-"));
afterAll(() => rmSync(state, { recursive: true, force: true }));

const migrationsOf = (name: string) => {
  const files = readdirSync(fileURLToPath(new URL(`../../db/${name}/migrations`, import.meta.url)));
  return files.filter((file) => file.endsWith(".sql")).sort();
};

/** Returns rows of the database with identity's tables. */
function readIdentity(sql: string): Record<string, unknown>[] {
  const directory = join(state, "data/v3/d1/miniflare-D1DatabaseObject");
  const files = readdirSync(directory).filter((file) => /^[0-9a-f]{64}\.sqlite$/.test(file));
  for (const file of files) {
    const database = new DatabaseSync(join(directory, file));
    try {
      const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'memberships'").get();
      if (table !== undefined) return database.prepare(sql).all();
    } finally {
      database.close();
    }
  }
  throw new Error("identity has no database");
}

it("migrates and seeds each database as wrangler does, even when repeated", async () => {
  const workspace = openWorkspace(state);
  const serviceKeys = { identity: "esk_x", hosting: "esk_y", storage: "esk_z" };
  const seed = { ...demo, origins: ["http://localhost:1"], serviceKeys };
  await prepareDatabases(workspace, seed);
  const companies = readIdentity("SELECT id, name FROM companies");
  expect(companies).toHaveLength(1);
  await prepareDatabases(workspace, { ...seed, origins: ["http://localhost:2"] });
  expect(readIdentity("SELECT id, name FROM companies")).toEqual(companies);
  const names = readIdentity("SELECT name FROM d1_migrations ORDER BY name").map(({ name }) => name);
  expect(names).toEqual(migrationsOf("identity"));
  // The test platform, which earlier files may have started, has set a lower level.
  vi.stubEnv("WRANGLER_LOG", "log");
  onTestFinished(() => void vi.unstubAllEnvs());
  const args = ["DB", "--local", "--persist-to", workspace.database, "-c", workspace.configs.identity];
  expect(await runScript(wrangler, ["d1", "migrations", "list", ...args])).toContain("No migrations to apply");
}, 60_000);
