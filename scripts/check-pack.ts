// `npm run check:pack`: packs the command, installs the tarball in an empty folder with the system's Node, and runs
// `init`, `build` and `start` there. Fails if the installation is too large.
import { execFileSync, spawn } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "./support/processes/ports.ts";
import { repository } from "./support/shell/current.ts";

const maxBytes = 30_000_000;
const maxPackages = 40;

/** Returns the bytes of all files in a folder; hard links count once. */
function sizeOf(folder: string): number {
  const states = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) =>
    lstatSync(join(folder, name)),
  );
  const files = new Map(states.filter((state) => state.isFile()).map(({ ino, size }) => [ino, size]));
  return [...files.values()].reduce((sum, size) => sum + size, 0);
}

async function main(): Promise<void> {
  // npm puts the Node of this package first on the PATH, but the check must use the system's Node.
  const path = (process.env.PATH ?? "")
    .split(":")
    .filter((entry) => !entry.includes("node_modules"))
    .join(":");
  const env = { PATH: path, HOME: process.env.HOME, CI: "1" };
  execFileSync(process.execPath, [join(repository, "scripts/pack.ts")], { stdio: "inherit" });
  const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };
  const folder = mkdtempSync(join(tmpdir(), "platform-pack-"));
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder, env, encoding: "utf8" });
  try {
    writeFileSync(join(folder, "package.json"), "{}");
    run(
      "npm",
      "install",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
      join(repository, `dist/platform-${version}.tgz`),
    );
    const lock = JSON.parse(readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8")) as {
      packages: object;
    };
    const [bytes, packages] = [sizeOf(join(folder, "node_modules")), Object.keys(lock.packages).length];
    const bin = join(folder, "node_modules/.bin/platform");
    run(bin, "init");
    run(bin, "build");
    statSync(join(folder, "dist/web/index.html"));
    const port = await findFreePort();
    const startedAt = performance.now();
    const server = spawn(bin, ["start", "--port", String(port)], { cwd: folder, env, stdio: "inherit" });
    const ended = new Promise<number | null>((done) => server.once("close", done));
    const ms = await waitForResponse(`http://127.0.0.1:${port}/`, startedAt);
    server.kill("SIGINT");
    const code = await ended;
    if (code !== 0) throw new Error(`platform start ended with ${code}.`);
    console.log(
      `${run("node", "--version").trim()}: ${packages} packages, ${(bytes / 1e6).toFixed(1)} MB, responds after ${ms} ms`,
    );
    if (bytes > maxBytes || packages > maxPackages) throw new Error("The installation exceeds 30 MB or 40 packages.");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function waitForResponse(url: string, startedAt: number): Promise<number> {
  while (performance.now() - startedAt < 20_000) {
    const isReady = await fetch(url)
      .then(({ ok }) => ok)
      .catch(() => false);
    if (isReady) return Math.round(performance.now() - startedAt);
    await new Promise((done) => setTimeout(done, 10));
  }
  throw new Error("platform start does not respond.");
}

await main();
