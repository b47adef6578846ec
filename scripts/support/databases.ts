import { runScript } from "./children.ts";
import { type Seed, seedStatements } from "./seed.ts";
import { services } from "./services.ts";
import type { Workspace } from "./workspace.ts";

export const wrangler = "wrangler/bin/wrangler.js";

/**
 * Migrates the local databases and stores the first rows, one after the other: wrangler locks files that all databases
 * of a folder share, and a second one at the same time ends with "database is locked". `run` runs a script of
 * node_modules to its end.
 */
export async function prepareDatabases(workspace: Workspace, seed: Seed, run = runScript): Promise<void> {
  const statements = seedStatements(seed);
  for (const worker of services) {
    const args = ["DB", "--local", "--persist-to", workspace.database, "-c", workspace.configs[worker]];
    await run(wrangler, ["d1", "migrations", "apply", ...args]);
    if (statements[worker].length === 0) continue;
    await run(wrangler, ["d1", "execute", ...args, "--command", statements[worker].join(";")]);
  }
}
