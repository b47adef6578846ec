import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const stopMs = 5000;
const EXCERPT_LENGTH = 200;

/** Number of the file descriptor that the child inherits; see end-with-parent.mjs. */
const PARENT_FD = 3;
const endWithParent = new URL("./end-with-parent.mjs", import.meta.url).href;

/** A script in its own process group. `stop` ends the whole group. The group also ends when this process ends. */
export type Child = { process: ChildProcess; output: () => string; stop: () => Promise<void> };

const running = new Set<Child>();
let isStopped = false;

/** Stops all running children. Later calls of startChild throw. */
export async function stopChildren(): Promise<void> {
  isStopped = true;
  await Promise.all([...running].map((child) => child.stop()));
}

/**
 * Starts a script with the Node that runs this process. `script` is a path in this repository. `onText` receives the
 * output. Throws after `stopChildren`, because nothing would stop the child.
 */
export function startChild(script: string, args: string[], onText: (text: string) => void = () => {}): Child {
  if (isStopped) throw new Error(`${script} was not started: all processes are being stopped.`);
  const child = spawn(process.execPath, ["--import", endWithParent, `${root}${script}`, ...args], {
    cwd: root,
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    env: {
      ...process.env,
      PLATFORM_PARENT_FD: String(PARENT_FD),
      WRANGLER_SEND_METRICS: "false",
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      NO_UPDATE_NOTIFIER: "1",
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      // Keep only the end of the output, which explains a failure.
      output = (output + text).slice(-20_000);
      onText(text);
    });
  }
  const started = { process: child, output: () => output, stop: () => stopGroup(child) };
  running.add(started);
  child.once("close", () => running.delete(started));
  return started;
}

/** Runs a script and returns its output. Throws with the output when it fails. */
export async function runScript(script: string, args: string[]): Promise<string> {
  const child = startChild(script, args);
  const [code] = await once(child.process, "close");
  if (code !== 0) throw new Error(`${excerpt([script, ...args].join(" "))} ended with ${code}:\n${child.output()}`);
  return child.output();
}

/** Returns a command line, truncated if it is long. */
function excerpt(commandLine: string): string {
  return commandLine.length > EXCERPT_LENGTH ? `${commandLine.slice(0, EXCERPT_LENGTH)} …` : commandLine;
}

/** Sends SIGTERM to a process group, SIGKILL after five seconds, and waits at most six seconds. */
async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || !signalGroup(child.pid, "SIGTERM")) return;
  const start = Date.now();
  let killed = false;
  while (signalGroup(child.pid, 0) && Date.now() < start + stopMs + 1000) {
    if (!killed && Date.now() > start + stopMs) killed = signalGroup(child.pid, "SIGKILL");
    await new Promise((wait) => setTimeout(wait, 50));
  }
}

/**
 * Sends a signal to a process group. Returns false if the group has no process. Signal 0 only checks whether the group has a
 * process.
 */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leader, signal);
    return true;
  } catch (error) {
    // macOS returns EPERM for a group that contains only zombies.
    if (error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM")) return false;
    throw error;
  }
}
