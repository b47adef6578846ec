#!/usr/bin/env node
// Starts the command line with a Node that runs TypeScript: this one, or the one the package brings.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const main = new URL("./main.ts", import.meta.url);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 23 || (major === 23 && minor >= 6)) {
  await import(main.href);
} else {
  const own = fileURLToPath(new URL("../node_modules/.bin/node", import.meta.url));
  if (!existsSync(own)) {
    console.error("platform needs Node 24: run npm ci in its folder, which brings one.");
    process.exit(1);
  }
  const { status, signal } = spawnSync(own, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: "inherit" });
  if (signal) process.kill(process.pid, signal);
  process.exitCode = status ?? 1;
}
