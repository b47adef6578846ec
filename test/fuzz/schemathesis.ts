import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("./", import.meta.url));
const cache = fileURLToPath(new URL("../../node_modules/.cache/fuzz/", import.meta.url));
const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_schema_conformance",
  "positive_data_acceptance",
  "negative_data_rejection",
];

/** This machine cannot make the environment that schemathesis runs in. */
export class NoPython extends Error {}

/** The path of a schemathesis in the pinned versions, which is installed once for each list of them. */
export async function prepareSchemathesis(): Promise<string> {
  const list = join(here, "requirements.txt");
  const folder = join(cache, createHash("sha256").update(readFileSync(list)).digest("hex").slice(0, 16));
  const program = join(folder, "bin/schemathesis");
  if (existsSync(join(folder, "complete"))) return program;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  console.log("Installing schemathesis …");
  run(
    "python3",
    ["-m", "venv", folder],
    "A fuzz run needs python3 (3.11 or newer) with venv (Debian: apt-get install python3-venv).",
  );
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r", list];
  run(join(folder, "bin/python3"), pip, "pip could not install what test/fuzz/requirements.txt lists.");
  // A mark that stands only behind an installation that came to its end.
  mkdirSync(join(folder, "draft"));
  renameSync(join(folder, "draft"), join(folder, "complete"));
  return program;
}

function run(command: string, args: string[], reason: string): void {
  const { error, status, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: 300_000 });
  if (error || status !== 0) throw new NoPython(`${reason}\n${error?.message ?? stderr}`);
}

/** What one run is told: the base URL of a service, its bounds, and the file of what hooks.py needs to know. */
export type FuzzRun = {
  url: string;
  seed: number;
  examples: number;
  seconds: number;
  context: string;
  state: string;
};

/** Fuzzes one service and shows what is found; the exit code of schemathesis. */
export async function runSchemathesis(
  program: string,
  { url, seed, examples, seconds, context, state }: FuzzRun,
): Promise<number> {
  const bounds = { "--seed": seed, "--max-examples": examples, "--max-time": seconds, "--request-timeout": 30 };
  const args = [
    ...["run", `${url}/api/schema/`, "--url", url, "--checks", checks.join(","), "--continue-on-failure"],
    ...["--phases", "examples,coverage,fuzzing", "--warnings", "off", "--generation-database", "none", "--no-color"],
    ...Object.entries(bounds).flatMap(([name, value]) => [name, String(value)]),
  ];
  const child = spawn(program, args, {
    // Nothing that it writes stays.
    cwd: state,
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      PYTHONPATH: here,
      PYTHONDONTWRITEBYTECODE: "1",
      SCHEMATHESIS_HOOKS: "hooks",
      FUZZ_CONTEXT: context,
    },
  });
  const [code] = await once(child, "exit");
  return code ?? 1;
}
