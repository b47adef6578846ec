// Fails when a schema has changed and its migration was not generated: drizzle-kit is asked for one in a copy.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

for (const service of ["identity", "email"]) {
  const copy = mkdtempSync(join(tmpdir(), "migrations-"));
  try {
    const source = resolve("db", service, "migrations");
    cpSync(source, copy, { recursive: true });
    const config = join(copy, "drizzle.config.json");
    const schema = resolve("db", service, "schema.ts");
    writeFileSync(config, JSON.stringify({ dialect: "sqlite", schema, out: copy }));
    execFileSync("drizzle-kit", ["generate", "--config", config], { stdio: "pipe" });
    const added = readdirSync(copy).filter((name) => name.endsWith(".sql") && !readdirSync(source).includes(name));
    if (added.length > 0) {
      console.error(`db/${service}/schema.ts has no migration for its last change: run npm run migrations`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
