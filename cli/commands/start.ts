import type { Target } from "../config/load/env.ts";
import { readShellFiles } from "../page/shell-files.ts";
import { networkAddresses, PortInUseError } from "../serve/listen.ts";
import { canOpenBrowser, openBrowser } from "../serve/open-browser.ts";
import { explainBusyPort } from "../serve/port-owner.ts";
import { type Serving, serve } from "../serve/server.ts";
import { type Output, printStep } from "./output.ts";

export type StartOptions = {
  root: string | undefined;
  target: Target;
  isOpen: boolean;
  isStrict: boolean;
  port: number | undefined;
  opensBrowser: boolean;
};

/** `platform start`: serves the shell until SIGINT or SIGTERM. Returns the exit code. */
export async function runStart(options: StartOptions, output: Output): Promise<number> {
  const startedAt = performance.now();
  const { root, target, isOpen, isStrict, port } = options;
  const { env } = process;
  const ended = new Promise<void>((done) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => done());
  });
  let serving: Serving | undefined;
  try {
    const shell = await readShellFiles(env);
    serving = await serve({ root, cwd: process.cwd(), target, isOpen, isStrict, port, env, shell, output });
  } catch (error) {
    if (!(error instanceof PortInUseError)) throw error;
    output.err(`error port-in-use: ${error.message} ${await explainBusyPort(error.port)}`);
    return 1;
  }
  if (serving === undefined) return 1;
  const url = `http://localhost:${serving.port()}/`;
  printStep(output, url, performance.now() - startedAt);
  if (isOpen) for (const address of networkAddresses()) output.out(`  http://${address}:${serving.port()}/`);
  if (options.opensBrowser && canOpenBrowser(env)) {
    await openBrowser(url, env).catch(() => output.err("warning: no browser could be opened."));
  }
  await ended;
  await serving.close();
  return 0;
}
