// Exits 1 when a schema has changes that no migration holds: generates into a copy and looks whether a file is new.
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runScript } from "./support/processes/children.ts";
import { services } from "./support/services.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const drizzle = "node_modules/drizzle-kit/bin.cjs";

for (const service of services) {
  // drizzle-kit joins paths to the working directory, so the copy has to be inside the repository.
  const copy = `.generated/migrations-${service}-${process.pid}`;
  const folder = join(root, copy);
  try {
    cpSync(join(root, `db/${service}/migrations`), folder, { recursive: true });
    const before = readdirSync(folder).length;
    const source = ["--dialect", "sqlite", "--schema", `./db/${service}/schema.ts`, "--out", `./${copy}`];
    await runScript(drizzle, ["generate", ...source, "--name", "check"]);
    await runScript(drizzle, ["check", "--dialect", "sqlite", "--out", `./${copy}`]);
    if (readdirSync(folder).length !== before) {
      console.error(`db/${service}/schema.ts has changes without migration: run npm run migrations`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
