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

/** Installs schemathesis in the pinned version and returns its path. Throws NoPython if it cannot be installed. */
export const prepareSchemathesis = async (): Promise<string> =>
  join(await preparePython(join(fuzzFolder, "requirements.txt")), "bin/schemathesis");

/**
 * Options of a run: the base URL of a service, the path of the document, the bounds of the run, and the path of the context file
 * for hooks.py.
 */
export type FuzzRun = {
  url: string;
  document: string;
  seed: number;
  examples: number;
  seconds: number;
  context: string;
  state: string;
};

/** Fuzzes the operations of one document and prints the findings. Returns the exit code of schemathesis. */
export async function runSchemathesis(
  program: string,
  { url, document, seed, examples, seconds, context, state }: FuzzRun,
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
