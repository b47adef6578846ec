import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const cache = fileURLToPath(new URL("../../node_modules/.cache/python/", import.meta.url));
const INSTALL_MS = 300_000;

/** Thrown when this machine cannot install a Python environment; the message says what is missing. */
export class NoPython extends Error {}

/**
 * Returns the folder of a virtual environment with the packages of `requirements`, pinned by hash. Installs them once
 * per content of that file. Throws NoPython.
 */
export async function preparePython(requirements: string): Promise<string> {
  const folder = join(cache, createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 16));
  if (existsSync(join(folder, "complete"))) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  // A copy of pip in each environment would cost more than the packages.
  const hasPip = await isSuccessful("python3", "-c", "import pip");
  await run(
    ["python3", "-m", "venv", ...(hasPip ? ["--without-pip"] : []), folder],
    "python3 (3.11 or newer) with venv is missing (Debian: apt-get install python3-venv).",
  );
  const pip = [hasPip ? "python3" : join(folder, "bin/python3"), "-m", "pip", "--python", folder, "install"];
  // The file lists all dependencies, and python3 compiles the modules that it imports.
  const options = ["--quiet", "--disable-pip-version-check", "--require-hashes", "--no-deps", "--no-compile"];
  await run([...pip, ...options, "-r", requirements], `pip could not install what ${requirements} lists.`);
  // The rename marks the installation as complete.
  mkdirSync(join(folder, "draft"));
  renameSync(join(folder, "draft"), join(folder, "complete"));
  return folder;
}

// Not a synchronous call: connections that the server closes while this process is blocked would be used once more.
async function run([command = "", ...args]: string[], reason: string): Promise<void> {
  await promisify(execFile)(command, args, { timeout: INSTALL_MS }).catch((error) => {
    throw new NoPython(`${reason}\n${error.stderr || error.message}`);
  });
}

const isSuccessful = (command: string, ...args: string[]) =>
  promisify(execFile)(command, args).then(
    () => true,
    () => false,
  );

/** Returns the interpreter that has `requirements`. When this machine cannot install them, prints that and returns null. */
export async function findInterpreter(requirements: string): Promise<string | null> {
  try {
    return join(await preparePython(requirements), "bin/python3");
  } catch (error) {
    if (!(error instanceof NoPython)) throw error;
    console.warn(`A test is skipped: ${error.message}`);
    return null;
  }
}

const programs = fileURLToPath(new URL("../integration/python/", import.meta.url));
/** Path of the list of packages that the programs of test/integration/python need. */
export const requirements = join(programs, "requirements.txt");
const RUN_MS = 180_000;

/** Runs a program of test/integration/python and returns what it prints as JSON, or null if its packages cannot be installed. */
export async function runProgram(name: string, variables: Record<string, string>): Promise<unknown> {
  const interpreter = await findInterpreter(requirements);
  if (interpreter === null) return null;
  const env = { ...process.env, ...variables };
  const { stdout } = await promisify(execFile)(interpreter, [join(programs, name)], { env, timeout: RUN_MS });
  return JSON.parse(stdout);
}
