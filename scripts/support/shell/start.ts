import { join } from "node:path";
import type { StartOptions } from "../options.ts";
import { type Child, startChild } from "../processes/children.ts";
import { waitFor } from "../processes/wait.ts";
import { repository } from "./current.ts";

/** URL of the shell in development. */
export function shellOrigin({ shellPort }: Pick<StartOptions, "shellPort">): string {
  return `http://localhost:${shellPort}`;
}

/**
 * Starts the shell of `examples/` and the applications in its frames. `platform start` serves the shell: it rebuilds the shell
 * if its sources are newer, applies edits of the examples, and prints each edit.
 */
export async function startShell(
  { port, shellPort, examplesPort }: StartOptions,
  watch: (child: Child, name: string) => void,
) {
  // Children inherit the environment of this process.
  process.env.PLATFORM_IDENTITY_URL = `http://localhost:${port}/identity`;
  process.env.EXAMPLES_URL = `http://localhost:${examplesPort}`;
  process.env.EXAMPLES_PORT = String(examplesPort);
  process.env.SHELL_ORIGIN = shellOrigin({ shellPort });
  const run = async (name: string, servicePort: number, script: string, args: string[]) => {
    let isReady = false;
    const child = startChild(script, args, (text) => {
      if (isReady) process.stdout.write(text);
    });
    watch(child, name);
    await waitFor(name, child, async () => (await fetch(`http://127.0.0.1:${servicePort}/`)).ok);
    isReady = true;
  };
  const shellArgs = ["start", join(repository, "examples"), "--port", String(shellPort), "--no-open"];
  await Promise.all([
    run("The shell", shellPort, "cli/platform.mjs", shellArgs),
    run("The examples", examplesPort, "examples/serve.ts", []),
  ]);
}
