// `npm run deploy:prepare`: writes the secrets and first rows of a new deployment to .generated/deploy (see docs/deploy.md).
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { isAddress } from "../schemas/text/address.ts";
import { findAppDomainProblem, readHostConfigs } from "./support/app-domain.ts";
import { seedStatements } from "./support/databases/seed.ts";
import { services } from "./support/services.ts";
import { makeSecrets, serviceKeysOf } from "./support/start/secrets.ts";

const target = fileURLToPath(new URL("../.generated/deploy/", import.meta.url));

/** Writes a new file. Throws if it already exists, because secrets that are already in use must not be lost. */
function writeNew(name: string, content: string): void {
  writeFileSync(join(target, name), content, { mode: 0o600, flag: "wx" });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { company: { type: "string" }, owner: { type: "string" }, staff: { type: "string" } },
  });
  const { company, owner, staff } = values;
  if (!company || !owner || !staff) {
    throw new Error(
      'Usage: npm run deploy:prepare -- --company "Aster Labs" --owner you@example.com --staff ops@example.com',
    );
  }
  const problem = findAppDomainProblem(readHostConfigs());
  if (problem !== null) throw new Error(problem);
  mkdirSync(target, { recursive: true });
  const secrets = await makeSecrets();
  const slug = company
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60);
  for (const email of [owner, staff]) {
    if (!isAddress(email.trim().toLowerCase())) throw new Error(`"${email}" is not an email address.`);
  }
  const people = [...new Set([owner, staff].map((email) => email.trim().toLowerCase()))].map((email, index) => ({
    email,
    firstName: "",
    isOwner: index === 0,
    isStaff: email === staff.trim().toLowerCase(),
  }));
  const seed = await seedStatements({
    serviceKeys: serviceKeysOf(secrets),
    company: { name: company, slug: slug || "company" },
    users: people,
    hostsApps: false,
    origins: [],
  });
  for (const service of services) {
    writeNew(`${service}.secrets.json`, `${JSON.stringify(secrets[service], null, 2)}\n`);
    // A service without first rows gets no file.
    if (seed[service].length > 0) writeNew(`${service}.sql`, `${seed[service].join(";\n")};\n`);
  }
  // identity and email bind each other, so neither can be deployed first. The placeholder is deployed under the
  // name of the email Worker, which later replaces it.
  writeNew("placeholder.js", "export default { fetch: () => new Response(null, { status: 503 }) };\n");
  writeNew("placeholder.toml", 'name = "platform-email"\nmain = "placeholder.js"\ncompatibility_date = "2026-10-01"\n');
  console.log(`Written to ${target}. Keep the secrets in a safe place and delete the folder after the deployment.`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
