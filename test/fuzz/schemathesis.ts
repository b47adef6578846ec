import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { preparePython } from "../support/python.ts";

const fuzzFolder = fileURLToPath(new URL("./", import.meta.url));
const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_schema_conformance",
  "positive_data_acceptance",
  "negative_data_rejection",
];

/** Installs schemathesis in the pinned version and returns the folder of its programs. Throws NoPython if it cannot be installed. */
export const preparePrograms = async (): Promise<string> =>
  join(await preparePython(join(fuzzFolder, "requirements.txt")), "bin");

/** Options of a run: its bounds, the path of the context file for catalogs.py, and the state folder. */
type FuzzRun = { seed: number; examples: number; seconds: number; context: string; state: string };

/** Requests to the hosts of apps for each example, which is a call of an operation. */
const APP_REQUESTS = 200;

/** Sends random requests to the hosts of apps and prints the findings. Returns the exit code of app_hosts.py. */
export const runAppHosts = (programs: string, { seed, examples, seconds, ...run }: FuzzRun): Promise<number> =>
  runProgram(
    join(programs, "python3"),
    [join(fuzzFolder, "app_hosts.py"), ...[seed, examples * APP_REQUESTS, seconds].map(String)],
    run,
  );

/**
 * Fuzzes the operations of one document of the service at a base URL and prints the findings. Returns the exit code of
 * schemathesis.
 */
export function runSchemathesis(
  programs: string,
  { url, document, seed, examples, seconds, ...run }: FuzzRun & { url: string; document: string },
): Promise<number> {
  const bounds = { "--seed": seed, "--max-examples": examples, "--max-time": seconds, "--request-timeout": 30 };
  const args = [
    "run",
    url + document,
    "--url",
    url,
    "--checks",
    checks.join(","),
    "--continue-on-failure",
    "--phases",
    "examples,coverage,fuzzing",
    "--warnings",
    "off",
    "--generation-database",
    "none",
    "--no-color",
    ...Object.entries(bounds).flatMap(([name, value]) => [name, String(value)]),
  ];
  return runProgram(join(programs, "schemathesis"), args, run);
}

async function runProgram(
  program: string,
  args: string[],
  { context, state }: Pick<FuzzRun, "context" | "state">,
): Promise<number> {
  const child = spawn(program, args, {
    // Files that schemathesis writes are deleted with the state folder.
    cwd: state,
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      PYTHONPATH: fuzzFolder,
      PYTHONDONTWRITEBYTECODE: "1",
      SCHEMATHESIS_HOOKS: "hooks",
      FUZZ_CONTEXT: context,
    },
  });
  const [code] = await once(child, "exit");
  return code ?? 1;
}
