import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadModule } from "../load.ts";
import { runScript } from "../processes/children.ts";
import type { Service } from "../services.ts";
import type { Workspace } from "../start/workspace.ts";
import { type Seed, seedStatements } from "./seed.ts";

export const wrangler = "node_modules/wrangler/bin/wrangler.js";

type DemoFiles = typeof import("../start/demo-files.ts");

/**
 * The input of scripts/prepare-databases.ts: paths of the Worker configurations, the folder for the data, statements that
 * insert rows, and files.
 */
export type DatabaseTask = {
  configs: Workspace["configs"];
  database: string;
  rows: Record<Service, string[]>;
  files: ReturnType<DemoFiles["demoFiles"]>;
};

/** Migrates the local databases, loads the mail library, and stores the first rows and files. Can be repeated. */
export async function prepareDatabases(workspace: Workspace, seed: Seed): Promise<void> {
  const { configs, database } = workspace;
  mkdirSync(database, { recursive: true });
  const { demoFiles } = await loadModule<DemoFiles>(fileURLToPath(new URL("../start/demo-files.ts", import.meta.url)));
  const task: DatabaseTask = { configs, database, rows: await seedStatements(seed), files: demoFiles(seed.company) };
  await runScript("scripts/prepare-databases.ts", [JSON.stringify(task)]);
}
