import { mkdirSync } from "node:fs";
import { runScript } from "./children.ts";
import { type Seed, seedStatements } from "./seed.ts";
import type { Service } from "./services.ts";
import type { Workspace } from "./workspace.ts";

export const wrangler = "node_modules/wrangler/bin/wrangler.js";

/** What scripts/prepare-databases.ts is to do: configurations, the folder to persist to, statements that store rows. */
export type DatabaseTask = { configs: Workspace["configs"]; database: string; rows: Record<Service, string[]> };

/** Migrates the local databases, each migration once, and stores the first rows. Again without harm. */
export async function prepareDatabases(workspace: Workspace, seed: Seed): Promise<void> {
  const { configs, database } = workspace;
  mkdirSync(database, { recursive: true });
  const task: DatabaseTask = { configs, database, rows: await seedStatements(seed) };
  await runScript("scripts/prepare-databases.ts", [JSON.stringify(task)]);
}
