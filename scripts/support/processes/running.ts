import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The file in which `npm start` in this repository records its process id and URL. */
const path = fileURLToPath(new URL("../../../.wrangler/start/running.json", import.meta.url));

/** Records the URL of the services, so that `platform manage` finds it. */
export function recordRunning(port: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ pid: process.pid, url: `http://localhost:${port}` }));
}

/** Deletes the record, unless another `npm start` has overwritten it. */
export function deleteRunning(): void {
  try {
    if (JSON.parse(readFileSync(path, "utf8")).pid === process.pid) rmSync(path);
  } catch {
    // The file is missing or unreadable.
  }
}
