import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";

/** The state that /proc/net/tcp shows for a listening socket. */
const LISTEN_STATE = "0A";
const MAX_COMMAND_LENGTH = 80;

const isLinux = process.platform === "linux";

/**
 * Matches the `npm start` of this repository. This is the process to end, because it also ends its children. A Worker that is
 * killed alone is restarted.
 */
const START_SCRIPT = /(^|[\s/])scripts\/start\.ts(\s|$)/;

type Process = { pid: number; parent: number; command: string };

/**
 * Returns a sentence that names the process on a busy port and the command that ends it. If the process is unknown, the
 * sentence has a command that finds it.
 */
export async function explainBusyPort(port: number): Promise<string> {
  const owner = await findPortOwner(port).catch(() => undefined);
  if (owner === undefined) return `Find the process that listens there: lsof -nP -iTCP:${port} -sTCP:LISTEN`;
  const sentence = `Process ${owner.pid} listens there (${shorten(owner.command)})`;
  const start = await findStart(owner).catch(() => undefined);
  if (start === undefined) return `${sentence}. End it: kill ${owner.pid}`;
  return `${sentence}, started by process ${start.pid} (${shorten(start.command)}). End it: kill ${start.pid}`;
}

/** Returns the `npm start` among the ancestors of a process, or undefined. */
async function findStart(child: Process): Promise<Process | undefined> {
  for (let current = child; current.parent > 1; ) {
    current = await readProcess(current.parent);
    if (START_SCRIPT.test(current.command)) return current;
  }
  return undefined;
}

/** Returns the process that listens on a TCP port, or undefined if it belongs to another user or cannot be found. */
async function findPortOwner(port: number): Promise<Process | undefined> {
  const pid = await (isLinux ? findByProc(port) : findByLsof(port));
  return pid === undefined ? undefined : readProcess(pid);
}

async function readProcess(pid: number): Promise<Process> {
  if (!isLinux) {
    const [, parent, command = ""] =
      /^\s*(\d+)\s+(.*)/.exec(await run("ps", ["-o", "ppid=,command=", "-p", `${pid}`])) ?? [];
    return { pid, parent: Number(parent), command };
  }
  const [status, command] = await Promise.all(
    ["status", "cmdline"].map((name) => readFile(`/proc/${pid}/${name}`, "utf8")),
  );
  return {
    pid,
    parent: Number(/^PPid:\s*(\d+)/m.exec(status ?? "")?.[1]),
    command: (command ?? "").replaceAll("\0", " "),
  };
}

async function findByProc(port: number): Promise<number | undefined> {
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8").catch(() => "")),
  );
  const sockets = new Set(tables.flatMap((table) => listeningSockets(table, port)));
  if (sockets.size === 0) return undefined;
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
    const links = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => "")));
    if (links.some((link) => sockets.has(link))) return Number(pid);
  }
  return undefined;
}

/** Returns the sockets of a /proc/net table that listen on a port, in the format of the links in /proc/<pid>/fd. */
function listeningSockets(table: string, port: number): string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  return table
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => state === LISTEN_STATE && local?.endsWith(`:${hex}`))
    .map((columns) => `socket:[${columns[9]}]`);
}

async function findByLsof(port: number): Promise<number | undefined> {
  const pid = Number((await run("lsof", ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-t"])).split("\n")[0]);
  return pid > 0 ? pid : undefined;
}

/** Returns the output of a program. Rejects if it is missing or fails. */
function run(program: string, args: string[]): Promise<string> {
  return new Promise((done, fail) => {
    execFile(program, args, { timeout: 5000 }, (error, stdout) => (error === null ? done(stdout) : fail(error)));
  });
}

function shorten(command: string): string {
  const text = command.trim();
  return text.length > MAX_COMMAND_LENGTH ? `${text.slice(0, MAX_COMMAND_LENGTH)} …` : text;
}
