import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the start of this folder says that it runs. */
const path = fileURLToPath(new URL("../../../.wrangler/start/running.json", import.meta.url));

/** Notes where the services of this start answer; `platform manage` looks there. */
export function noteRunning(port: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ pid: process.pid, url: `http://localhost:${port}` }));
}

/** Removes the note, unless another start has written its own over it. */
export function forgetRunning(): void {
  try {
    if (JSON.parse(readFileSync(path, "utf8")).pid === process.pid) rmSync(path);
  } catch {
    // The file is missing or unreadable.
  }
}
