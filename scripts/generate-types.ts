// `npm run types`: writes the bindings of each wrangler.toml as types next to the Worker. `--check` only compares.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { wrangler } from "./support/databases/databases.ts";
import { runScript } from "./support/processes/children.ts";
import { type Worker, workers } from "./support/services.ts";
import { configs } from "./support/start/workspace.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const scratch = join(root, ".generated/types");
const isCheck = process.argv.includes("--check");
// Secrets in a developer's .dev.vars must not appear in the types.
const noSecrets = join(scratch, "none.env");

/**
 * Returns the bindings of a Worker as wrangler describes them; a service binding has the type of the entrypoint that
 * the other Worker exports.
 */
async function describe(worker: Worker): Promise<string> {
  const file = join(scratch, `${worker}.d.ts`);
  const otherServices = workers.filter((name) => name !== worker && name !== "edge");
  const files = [configs[worker], ...otherServices.map((name) => configs[name])].flatMap((config) => ["-c", config]);
  const options = ["--include-runtime=false", "--strict-vars=false", "--env-file", noSecrets];
  await runScript(wrangler, ["types", file, ...files, ...options]);
  const [, members] = /^interface __BaseEnv_Env \{\n(.*?)^\}/ms.exec(readFileSync(file, "utf8")) ?? [];
  if (members === undefined) throw new Error(`wrangler described no bindings of ${worker}`);
  // A default export is only called by fetch, and two Workers that refer to each other's type would be circular. Paths
  // are relative to the scratch file.
  const withoutDefaultExports = members.replace(/Service<typeof import\("[^"]+"\)\.default>/g, "Fetcher");
  const lines = withoutDefaultExports.replace(/import\("(?:\.\.\/)*workers\/([^"]+)"\)/g, (_whole, path: string) => {
    return `import("${path.startsWith(`${worker}/`) ? `./${path.slice(worker.length + 1)}` : `../${path}`}")`;
  });
  return `// Written by \`npm run types\` from the Worker's wrangler.toml.\nexport interface ConfiguredBindings {\n${lines.replaceAll("\t", "  ")}}\n`;
}

mkdirSync(scratch, { recursive: true });
writeFileSync(noSecrets, "");
for (const worker of workers) {
  const target = join(root, "workers", worker, "configured-bindings.d.ts");
  const text = await describe(worker);
  if (!isCheck) writeFileSync(target, text);
  else if (text !== readFileSync(target, "utf8")) {
    console.error(`${join("workers", worker)}: the types do not hold what wrangler.toml binds: run npm run types`);
    process.exitCode = 1;
  }
}
