// `npm start`: starts everything needed to sign in on this machine, and leaves nothing running afterwards.
import { mkdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { explainBusyPort } from "../cli/serve/port-owner.ts";
import { prepareDatabases, wrangler } from "./support/databases/databases.ts";
import { demo } from "./support/databases/seed.ts";
import { followSources } from "./support/documents/api-documents.ts";
import { writeWorkerAssets } from "./support/documents/worker-assets.ts";
import type { ExampleUrls } from "./support/examples/deploy.ts";
import { followExamples, provideExamples } from "./support/examples/start.ts";
import { parseOptions, portsOf, type StartOptions, usage } from "./support/options.ts";
import { type Child, startChild, stopChildren } from "./support/processes/children.ts";
import { isPortFree } from "./support/processes/ports.ts";
import { deleteRunning, recordRunning } from "./support/processes/running.ts";
import { waitFor } from "./support/processes/wait.ts";
import { perWorker, services, workers } from "./support/services.ts";
import { shellOrigin, startShell } from "./support/shell/start.ts";
import { moveFormerSettings, updateSettings } from "./support/start/dev-settings.ts";
import { createFaultReader } from "./support/start/faults.ts";
import { startMaildev } from "./support/start/maildev.ts";
import { serviceKeysOf } from "./support/start/secrets.ts";
import { configs, followConfigs, openWorkspace, settingsPath, type Workspace } from "./support/start/workspace.ts";

// Matches the lines that wrangler prints at each reload and each cron run. They are not shown.
const noise = /cdn-cgi\/local\/scheduled|has access to the following|^Binding |^env\.|^\s*$/;
/** Matches wrangler's error when another program listens on its port. */
const addressInUse = /Address already in use/;
/** Delay of the first cron run, after the Workers have finished starting. */
const FIRST_CRON_MS = 5000;
const PARENT_CHECK_MS = 1000;
const faults = createFaultReader();
let isStopping = false;
/** Whether the table of addresses is printed, so that log lines may follow it. */
let showsLogs = false;

/** Ends every child, then this process. */
async function stop(exitCode: number): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  deleteRunning();
  await stopChildren();
  process.exit(exitCode);
}

/** Prints a one-line error and exits. */
async function fail(error: unknown): Promise<void> {
  if (!isStopping) console.error(error instanceof Error ? error.message : String(error));
  await stop(1);
}

/** Throws an error that names the process on a port that is in use. `ports` has the ports by option. */
async function checkPorts(ports: Record<string, number>): Promise<void> {
  for (const [name, port] of Object.entries(ports)) {
    if (!(await isPortFree(port))) {
      const owner = await explainBusyPort(port);
      throw new Error(`Port ${port} is in use. ${owner}\nOr choose another port: npm start -- ${name} <n>`);
    }
  }
}

/**
 * Starts the Workers. Wrangler listens several seconds after the first check of the ports, so another start can have taken the
 * port. If that start has ended, the Workers are started a second time.
 */
async function startWorkers(workspace: Workspace, options: StartOptions): Promise<void> {
  const ports = { "--port": options.port };
  await checkPorts(ports);
  if (await runWorkers(workspace, options)) return;
  await checkPorts(ports);
  console.log(`Port ${options.port} was in use for a moment. Starting the Workers again …`);
  if (await runWorkers(workspace, options)) return;
  await checkPorts(ports);
  throw new Error(`Wrangler could not listen on port ${options.port}. Choose another port: npm start -- --port <n>`);
}

/** Runs the Workers until this process ends. Returns false if wrangler found its port in use. */
async function runWorkers(workspace: Workspace, { port, state }: StartOptions): Promise<boolean> {
  let isReady = false;
  // Debuggers expect port 9229. A start with --state uses any free port, because two starts that search from 9229 can
  // choose the same port.
  const inspector = state === null ? [] : ["--inspector-port", "0"];
  const args = [
    "dev",
    ...workers.flatMap((worker) => ["-c", workspace.configs[worker]]),
    "--port",
    String(port),
    "--ip",
    "127.0.0.1",
    ...inspector,
  ];
  const child = startChild(wrangler, [...args, "--persist-to", workspace.database], (text) => {
    if (isStopping) return;
    for (const line of text.split("\n")) {
      const fault = faults.read(line);
      // Until everything has started, only start-up errors are printed. Afterwards other lines are printed too. An invalid
      // setting is always printed only once.
      if (fault !== null && (fault.isInvalidSetting || !isReady)) {
        if (fault.isNew) console.log(fault.text);
      } else if (showsLogs && !noise.test(line)) console.log(line);
    }
  });
  const base = `http://127.0.0.1:${port}`;
  try {
    await waitFor("The Workers", child, async () => {
      const responses = await Promise.all(services.map((service) => fetch(`${base}/${service}/api/v1/health`)));
      return responses.every((response) => response.ok);
    });
  } catch (error) {
    if (addressInUse.test(child.output())) {
      await child.stop();
      return false;
    }
    throw faults.hasReported() ? new Error("The Workers did not start; see the error above.") : error;
  }
  isReady = true;
  watch(child, "The Workers");
  return true;
}

function watch(child: Child, name: string): void {
  child.process.once("exit", (code) => {
    if (!isStopping) void fail(new Error(`${name} ended unexpectedly (${code}).\n${child.output()}`));
  });
}

/**
 * Stops when npm is killed. npm has no pipe to this process, so this polls for a new parent process. A start without npm
 * may outlive the shell that started it.
 */
function endWithNpm(): void {
  const npm = process.ppid;
  if (process.env.npm_lifecycle_event !== "start") return;
  setInterval(() => {
    if (process.ppid !== npm) void stop(1);
  }, PARENT_CHECK_MS).unref();
}

/** Simulates the Cron Triggers (each minute, and minute 17 of each hour). The edge forwards them to the services. */
function simulateCron(port: number): void {
  const trigger = async (cron: string) => {
    const url = `http://127.0.0.1:${port}/cdn-cgi/local/scheduled?cron=${encodeURIComponent(cron)}`;
    const response = await fetch(url);
    if (!response.ok) console.error(`cron "${cron}" failed with ${response.status}`);
  };
  const tick = () => {
    const minute = new Date().getMinutes();
    const crons = ["* * * * *", ...(minute % 5 === 0 ? ["*/5 * * * *"] : []), ...(minute === 17 ? ["17 * * * *"] : [])];
    // A Worker that is reloading misses one trigger, as can happen in production.
    for (const cron of crons) void trigger(cron).catch((error: unknown) => console.error(`cron "${cron}": ${error}`));
  };
  setTimeout(() => {
    tick();
    setInterval(tick, 60_000);
  }, FIRST_CRON_MS);
}

function printTable(options: StartOptions, examples: ExampleUrls): void {
  const base = `http://localhost:${options.port}`;
  const rows = [
    ["Shell", `${shellOrigin(options)}/`, "sign in as owner@example.com, or with any address"],
    ["Apps", examples.today, "the example applications, deployed to hosting"],
    ["", examples.orders],
    ["Inbox", `http://127.0.0.1:${options.mailPort}/`, "receives the mail with the link and the code"],
    ["Identity API", `${base}/identity/api/docs/`],
    ["Email API", `${base}/email/api/docs/`],
    ["Hosting API", `${base}/hosting/api/docs/`],
    ["Storage API", `${base}/storage/api/docs/`],
    [
      "Job runs",
      `${base}/hosting/api/v1/scheduled-jobs (also under /identity, /email and /storage); jobs run every minute or every hour, and staff can list their runs`,
    ],
    ["Stop", "Ctrl-C"],
    ["Start over", "npm start -- --reset"],
  ];
  const lines = rows.map(([name = "", value = "", note = ""]) =>
    `  ${name.padEnd(14)}${value.padEnd(36)}${note}`.trimEnd(),
  );
  console.log(`\n${lines.join("\n")}\n`);
}

/**
 * Moves settings away from their former location, which was next to each wrangler.toml. Tests and builds would also read them
 * there.
 */
function migrateFormerSettings({ settings }: Workspace): void {
  const formerPaths = perWorker((worker) => settingsPath(configs[worker]));
  const movedPaths = moveFormerSettings(formerPaths, settings).map((path) => relative(process.cwd(), path));
  if (movedPaths.length > 0)
    console.log(`Moved the settings of earlier starts to .wrangler/start: ${movedPaths.join(", ")}`);
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options === null) return console.log(usage);
  await checkPorts(portsOf(options));
  const workspace = openWorkspace(options.state);
  if (options.reset) rmSync(workspace.data, { recursive: true, force: true });
  // Workers of another start on this machine have the same names. A separate registry prevents calls between the starts.
  process.env.WRANGLER_REGISTRY_PATH = join(workspace.data, "registry");
  mkdirSync(workspace.mail, { recursive: true });
  console.log("Preparing databases, starting the inbox and the Workers …");
  if (options.state === null) migrateFormerSettings(workspace);
  const settings = await updateSettings(workspace.settings, options);
  const seed = { ...demo, origins: [shellOrigin(options)], serviceKeys: serviceKeysOf(settings) };
  const maildev = startMaildev({ smtp: options.smtpPort, web: options.mailPort }, workspace.mail);
  const inbox = maildev.then((child) => watch(child, "The inbox"));
  await Promise.all([inbox, prepareDatabases(workspace, seed), writeWorkerAssets()]);
  followConfigs(workspace, faults.forget);
  const workersStarted = startWorkers(workspace, options);
  const examplesOptions = {
    folder: join(workspace.data, "examples"),
    url: `http://localhost:${options.port}`,
    operatorKey: settings.identity.OPERATOR_KEY ?? "",
  };
  const examples = provideExamples(examplesOptions, workersStarted);
  const [urls] = await Promise.all([
    examples,
    workersStarted,
    examples.then((urls) => startShell(options, urls, watch)),
  ]);
  followSources();
  if (options.state === null) recordRunning(options.port);
  printTable(options, urls);
  showsLogs = true;
  followExamples(examplesOptions);
  simulateCron(options.port);
}

// Stop when the reader of the output exits, as in `npm start | head`. Otherwise this process would run unnoticed.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => void stop(0));
endWithNpm();
process.on("uncaughtException", (error) => void fail(error));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void stop(0));
await main().catch(fail);
