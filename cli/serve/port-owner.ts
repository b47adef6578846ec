import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";

/** State of a listening socket in /proc/net/tcp. */
const LISTEN = "0A";
const LONGEST_COMMAND = 80;

type PortOwner = { pid: number; command: string };

/** A sentence that names the process that listens on a busy port and how to end it, or how to find it where that cannot be told. */
export async function explainBusyPort(port: number): Promise<string> {
  const owner = await findPortOwner(port).catch(() => undefined);
  if (owner === undefined) return `Find the process that listens there: lsof -nP -iTCP:${port} -sTCP:LISTEN`;
  return `Process ${owner.pid} listens there (${owner.command}). End it: kill ${owner.pid}`;
}

/** The process that listens on this TCP port; undefined when it belongs to another user, or the system does not tell. */
async function findPortOwner(port: number): Promise<PortOwner | undefined> {
  return process.platform === "linux" ? findByProc(port) : findByLsof(port);
}

async function findByProc(port: number): Promise<PortOwner | undefined> {
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8").catch(() => "")),
  );
  const sockets = new Set(tables.flatMap((table) => listeningSockets(table, port)));
  if (sockets.size === 0) return undefined;
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
    const links = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => "")));
    if (!links.some((link) => sockets.has(link))) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8");
    return { pid: Number(pid), command: shorten(command.replaceAll("\0", " ")) };
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

async function findByLsof(port: number): Promise<PortOwner | undefined> {
  const pid = Number((await run("lsof", ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-t"])).split("\n")[0]);
  if (!(pid > 0)) return undefined;
  return { pid, command: shorten(await run("ps", ["-o", "command=", "-p", String(pid)])) };
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
