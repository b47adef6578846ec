// `npm run deploy`: applies migrations, loads the mail library and deploys each Worker (see docs/deploy.md).
// `npm run deploy -- --dry-run` changes nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findAppDomainProblem, readHostConfigs } from "./support/app-domain.ts";
import { wrangler } from "./support/databases/databases.ts";
import { libraryStatements } from "./support/databases/library.ts";
import { services } from "./support/services.ts";
import { configs } from "./support/start/workspace.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
/** Returns the path of a file that `npm run deploy:prepare` writes for a first deployment. */
const preparedFile = (file: string) => join(root, ".generated/deploy", file);

/** Runs wrangler in this terminal, because it may prompt. Throws if it fails, so that later steps do not run. */
async function run(...args: string[]): Promise<void> {
  console.log(`\nwrangler ${args.join(" ")}`);
  const child = spawn(process.execPath, [join(root, wrangler), ...args], { cwd: root, stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`wrangler ${args.join(" ")} ended with ${code}.`);
}

/** Writes the SQL that loads the mail library of this release. Returns its path. */
async function writeLibrarySql(): Promise<string> {
  const path = join(root, ".generated/library.sql");
  mkdirSync(join(root, ".generated"), { recursive: true });
  writeFileSync(path, `${(await libraryStatements()).join(";\n")};\n`);
  return path;
}

async function prepareDatabases(): Promise<void> {
  for (const service of services) {
    const database = ["DB", "--remote", "-c", configs[service]];
    await run("d1", "migrations", "apply", ...database);
    if (service === "email") await run("d1", "execute", ...database, "--file", await writeLibrarySql());
    const rows = preparedFile(`${service}.sql`);
    if (existsSync(rows)) await run("d1", "execute", ...database, "--file", rows);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } });
  const isDry = values["dry-run"];
  const problem = findAppDomainProblem(readHostConfigs());
  if (problem !== null) throw new Error(problem);
  const dryRunFlags = isDry ? ["--dry-run"] : [];
  if (!isDry) await prepareDatabases();
  // The identity and email Workers bind each other, so the first deployment starts with a placeholder for email.
  const placeholder = preparedFile("placeholder.toml");
  if (existsSync(placeholder)) await run("deploy", ...dryRunFlags, "-c", placeholder);
  // email binds an entrypoint of storage, which has to exist before email is deployed.
  const order = [...services.filter((service) => service !== "email"), "email", "edge"] as const;
  for (const worker of order) {
    const secrets = preparedFile(`${worker}.secrets.json`);
    const withSecrets = existsSync(secrets) ? ["--secrets-file", secrets] : [];
    await run("deploy", "--minify", ...dryRunFlags, "-c", configs[worker], ...withSecrets);
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
