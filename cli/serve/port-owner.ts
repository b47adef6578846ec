import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";

/** State of a listening socket in /proc/net/tcp. */
const LISTEN = "0A";
const LONGEST_COMMAND = 80;

const isLinux = process.platform === "linux";

/** The `npm start` of this repository in a list of processes: it restarts a Worker that is killed, and ends all that it began. */
const START = /(^|[\s/])scripts\/start\.ts(\s|$)/;

type Process = { pid: number; parent: number; command: string };

/** Returns a sentence that names the process on a busy port and how to end it, or how to find it if it is unknown. */
export async function explainBusyPort(port: number): Promise<string> {
  const owner = await findPortOwner(port).catch(() => undefined);
  if (owner === undefined) return `Find the process that listens there: lsof -nP -iTCP:${port} -sTCP:LISTEN`;
  const listens = `Process ${owner.pid} listens there (${shorten(owner.command)})`;
  const start = await findStart(owner).catch(() => undefined);
  if (start === undefined) return `${listens}. End it: kill ${owner.pid}`;
  return `${listens}, started by process ${start.pid} (${shorten(start.command)}). End it: kill ${start.pid}`;
}

/** The `npm start` that began a process, itself or through others; undefined without one. */
async function findStart(begun: Process): Promise<Process | undefined> {
  for (let at = begun; at.parent > 1; ) {
    at = await readProcess(at.parent);
    if (START.test(at.command)) return at;
  }
  return undefined;
}

/** The process that listens on this TCP port; undefined when it belongs to another user or the system does not report it. */
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

/** The sockets of a table of /proc/net that listen on a port, as links in /proc/<pid>/fd show them. */
function listeningSockets(table: string, port: number): string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  return table
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => state === LISTEN && local?.endsWith(`:${hex}`))
    .map((columns) => `socket:[${columns[9]}]`);
}

async function findByLsof(port: number): Promise<number | undefined> {
  const pid = Number((await run("lsof", ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-t"])).split("\n")[0]);
  return pid > 0 ? pid : undefined;
}

/** What a program prints; rejects when it is missing or fails. */
function run(program: string, args: string[]): Promise<string> {
  return new Promise((done, fail) => {
    execFile(program, args, { timeout: 5000 }, (error, stdout) => (error === null ? done(stdout) : fail(error)));
  });
}

function shorten(command: string): string {
  const text = command.trim();
  return text.length > LONGEST_COMMAND ? `${text.slice(0, LONGEST_COMMAND)} …` : text;
}
