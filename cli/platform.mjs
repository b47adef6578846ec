#!/usr/bin/env node
// Runs the command line from the repository with a Node that supports TypeScript: this Node, or the one in node_modules.
// `start`, `build` and `deploy` first rebuild the shell if its sources are newer. The packed command has its own entry.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 23 || (major === 23 && minor >= 6)) {
  const [, , command, ...args] = process.argv;
  const deploysFolder = args.some((arg) => /^--(?:no-build$|dir(?:$|=))/.test(arg));
  const needsShell =
    (["start", "dev", "build"].includes(command) || (command === "deploy" && !deploysFolder)) &&
    !args.includes("--help");
  if (!needsShell || process.env.PLATFORM_SHELL || (await ensureShell())) await import("./main.ts");
} else {
  const localNode = pathOf("../node_modules/.bin/node");
  if (!existsSync(localNode)) {
    console.error("platform needs Node 24. Run npm ci in its folder, which installs it.");
    process.exit(1);
  }
  const { status, signal } = spawnSync(localNode, [pathOf("./platform.mjs"), ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  if (signal) process.kill(process.pid, signal);
  process.exitCode = status ?? 1;
}

/** Builds the shell if it is missing or older than its sources. Returns false if the build failed. */
async function ensureShell() {
  const { isShellCurrent } = await import("../scripts/support/shell/current.ts");
  if (isShellCurrent()) return true;
  const { status } = spawnSync(process.execPath, [pathOf("../scripts/build-shell.ts")], { stdio: ["ignore", 2, 2] });
  process.exitCode = status === 0 ? 0 : 1;
  return status === 0;
}
