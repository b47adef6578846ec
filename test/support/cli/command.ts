import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Cleanup } from "./project.ts";

const launcher = fileURLToPath(new URL("../../../cli/platform.mjs", import.meta.url));

export type Ended = { code: number | null; out: string; err: string };

const { PATH, NODE_COMPILE_CACHE } = process.env;
/** Variables that commands need to run. With the cache of the test run they start in half the processor time. */
export const runtimeEnv = { PATH, NODE_COMPILE_CACHE };

/** Starts the `platform` command in a child process, as a user would. */
export function startCommand(
  { onTestFinished }: Cleanup,
  args: string[],
  { cwd, env = {} }: { cwd: string; env?: NodeJS.ProcessEnv },
): { child: ChildProcess; ended: Promise<Ended>; readOutput: () => string } {
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd,
    env: { ...runtimeEnv, HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = new Promise<Ended>((done) => child.once("close", (code) => done({ code, out, err })));
  return { child, ended, readOutput: () => out + err };
}
