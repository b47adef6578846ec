import { join } from "node:path";
import type { ExampleUrls } from "../examples/deploy.ts";
import type { StartOptions } from "../options.ts";
import { type Child, startChild } from "../processes/children.ts";
import { waitFor } from "../processes/wait.ts";
import { repository } from "./current.ts";

/** URL of the shell in development. */
export function shellOrigin({ shellPort }: Pick<StartOptions, "shellPort">): string {
  return `http://localhost:${shellPort}`;
}

/**
 * Starts the shell of `examples/` with the applications at `urls` in its frames. `platform start` serves the shell: it applies
 * edits of the configuration, and prints each edit.
 */
export async function startShell(
  { port, shellPort }: StartOptions,
  urls: ExampleUrls,
  watch: (child: Child, name: string) => void,
) {
  // Children inherit the environment of this process.
  Object.assign(process.env, exampleEnv(`http://localhost:${port}`, urls));
  const args = ["start", join(repository, "examples"), "--port", String(shellPort), "--no-open"];
  let isReady = false;
  const child = startChild("cli/platform.mjs", args, (text) => {
    if (isReady) process.stdout.write(text);
  });
  watch(child, "The shell");
  await waitFor("The shell", child, async () => (await fetch(`http://127.0.0.1:${shellPort}/`)).ok);
  isReady = true;
}

/** Returns the variables that `examples/platform.config.ts` reads: the platform at `url`, and the applications. */
export function exampleEnv(url: string, { today, orders }: ExampleUrls) {
  return { PLATFORM_IDENTITY_URL: `${url}/identity`, EXAMPLE_TODAY_URL: today, EXAMPLE_ORDERS_URL: orders };
}
