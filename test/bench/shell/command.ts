import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { findFreePort } from "../../../scripts/support/processes/ports.ts";
import { repository } from "../../../scripts/support/shell/current.ts";

export type Command = { name: string; file: string; env: NodeJS.ProcessEnv };

const installed = join(repository, "dist/cli/bin/platform.mjs");

/** Returns the command of this repository with a built shell. */
export const repositoryCommand = (shell: string): Command => ({
  name: "from the repository",
  file: join(repository, "cli/platform.mjs"),
  env: { PLATFORM_SHELL: shell },
});

/** Returns the packed command with its own shell, or undefined if `npm run pack` has not created it. */
export const installedCommand = (): Command | undefined =>
  existsSync(installed) ? { name: "as installed", file: installed, env: {} } : undefined;

const start = ({ file, env }: Command, args: string[], cwd: string) =>
  spawn(process.execPath, [file, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, NO_COLOR: "1", ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });

/** Builds `dist/web` of a folder. Returns the duration of the process in ms. */
export async function build(command: Command, root: string): Promise<number> {
  const startedAt = performance.now();
  const [code] = (await once(start(command, ["build"], root), "close")) as [number];
  if (code !== 0) throw new Error(`platform build ended with ${code}`);
  return performance.now() - startedAt;
}

export type Served = { ms: number; url: string; close: () => Promise<void> };

/** Starts the development server. `ms` is the time from the start of the process until the port responds. */
export async function serve(command: Command, root: string): Promise<Served> {
  const port = await findFreePort();
  const startedAt = performance.now();
  const child = start(command, ["dev", "--no-open", "--port", String(port)], root);
  const ended = once(child, "close");
  const close = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  while (!(await isResponding(port))) {
    if (child.exitCode !== null || performance.now() - startedAt > 30_000) {
      await close();
      throw new Error("platform dev does not respond");
    }
    await new Promise((resume) => setTimeout(resume, 5));
  }
  return { ms: performance.now() - startedAt, url: `http://localhost:${port}`, close };
}

function isResponding(port: number): Promise<boolean> {
  return new Promise((done) => {
    get({ host: "127.0.0.1", port, path: "/" }, (response) => {
      response.resume();
      done(response.statusCode === 200);
    }).on("error", () => done(false));
  });
}
