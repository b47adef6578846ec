import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cache = fileURLToPath(new URL("../../node_modules/.cache/python/", import.meta.url));
const INSTALL_MS = 300_000;

/** Thrown when this machine cannot install a Python environment; the message says what is missing. */
export class NoPython extends Error {}

/**
 * Returns the folder of a virtual environment with the packages of `requirements`, pinned by hash. Installs them once
 * per content of that file. Throws NoPython.
 */
export function preparePython(requirements: string): string {
  const folder = join(cache, createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 16));
  if (existsSync(join(folder, "complete"))) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  run(
    ["python3", "-m", "venv", folder],
    "python3 (3.11 or newer) with venv is missing (Debian: apt-get install python3-venv).",
  );
  const pip = [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--require-hashes",
    "-r",
    requirements,
  ];
  run([join(folder, "bin/python3"), ...pip], `pip could not install what ${requirements} lists.`);
  // The rename marks the installation as complete.
  mkdirSync(join(folder, "draft"));
  renameSync(join(folder, "draft"), join(folder, "complete"));
  return folder;
}

function run([command = "", ...args]: string[], reason: string): void {
  const { error, status, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: INSTALL_MS });
  if (error || status !== 0) throw new NoPython(`${reason}\n${error?.message ?? stderr}`);
}
