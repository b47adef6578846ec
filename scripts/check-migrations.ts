// Fails if a schema has changes without a migration. Generates migrations into a copy and checks whether a file was added.
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runScript } from "./support/processes/children.ts";
import { services } from "./support/services.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const drizzle = "node_modules/drizzle-kit/bin.cjs";

for (const service of services) {
  // drizzle-kit joins paths to the working directory, so the copy has to be inside the repository.
  const copyPath = `.generated/migrations-${service}-${process.pid}`;
  const folder = join(root, copyPath);
  try {
    cpSync(join(root, `db/${service}/migrations`), folder, { recursive: true });
    const countBefore = readdirSync(folder).length;
    const source = ["--dialect", "sqlite", "--schema", `./db/${service}/schema.ts`, "--out", `./${copyPath}`];
    await runScript(drizzle, ["generate", ...source, "--name", "check"]);
    await runScript(drizzle, ["check", "--dialect", "sqlite", "--out", `./${copyPath}`]);
    if (readdirSync(folder).length !== countBefore) {
      console.error(`db/${service}/schema.ts has changes without a migration: run npm run migrations`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
