// `npm run check:start`: starts the platform in this clone on free ports. Checks the health of each service, the
// command line and the shell, then stops the platform. Fails if a port is still in use afterwards, or if a settings
// file remains that tests and builds would read.
import { once } from "node:events";
import { existsSync } from "node:fs";
import { runScript, startChild, stopChildren } from "./support/processes/children.ts";
import { findFreePort, isPortFree } from "./support/processes/ports.ts";
import { waitFor } from "./support/processes/wait.ts";
import { services, workers } from "./support/services.ts";
import { configs, settingsPath } from "./support/start/workspace.ts";

const listSettingsOfTools = () =>
  workers.map((worker) => settingsPath(configs[worker])).filter((path) => existsSync(path));

async function main(): Promise<void> {
  const filesBefore = listSettingsOfTools();
  const ports = {
    "--port": await findFreePort(),
    "--shell-port": await findFreePort(),
    "--mail-port": await findFreePort(),
    "--smtp-port": await findFreePort(),
  };
  const start = startChild(
    "scripts/start.ts",
    Object.entries(ports).flatMap(([name, port]) => [name, String(port)]),
  );
  // waitFor fails after two minutes.
  await waitFor("npm start", start, async () => start.output().includes("Ctrl-C"));
  for (const service of services) {
    const url = `http://127.0.0.1:${ports["--port"]}/${service}/api/v1/health`;
    const { status } = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    if (status !== 200) throw new Error(`the health check of ${service} returns ${status}`);
  }
  for (const service of ["hosting", "storage"]) {
    const output = await runScript("cli/platform.mjs", ["manage", service, "retry_webhooks", "--dry-run"]);
    if (!output.includes("would process=")) throw new Error(`platform manage did not find ${service}:\n${output}`);
  }
  const shell = await fetch(`http://127.0.0.1:${ports["--shell-port"]}/`, { signal: AbortSignal.timeout(10_000) });
  if (shell.status !== 200) throw new Error(`The shell returns ${shell.status}.`);
  const { url } = await fetch(`http://127.0.0.1:${ports["--port"]}/`, { signal: AbortSignal.timeout(10_000) });
  if (new URL(url).port !== String(ports["--shell-port"]))
    throw new Error(`The services redirect to ${url}, not to the shell.`);
  const ended = once(start.process, "exit", { signal: AbortSignal.timeout(30_000) });
  if (!start.process.kill("SIGINT")) throw new Error(`npm start ended by itself:\n${start.output()}`);
  const [code] = await ended;
  if (code !== 0) throw new Error(`npm start ended with ${code}:\n${start.output()}`);
  for (const [name, port] of Object.entries(ports)) {
    if (!(await isPortFree(port))) throw new Error(`Port ${port} (${name}) is still in use.`);
  }
  const newFiles = listSettingsOfTools().filter((path) => !filesBefore.includes(path));
  if (newFiles.length > 0)
    throw new Error(`npm start left settings files that tests and builds would read: ${newFiles.join(", ")}.`);
}

try {
  await main();
  console.log("npm start starts, responds and stops.");
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  await stopChildren();
}
