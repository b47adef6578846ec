import { beforeEach, onTestFailed } from "vitest";

// A run writes thousands of log lines: they are held, and shown for a test that fails. The files of a project share one
// isolate, so what stands in the console's place is set up once.
type HeldLogs = { lines: string[]; print: (line: string) => void };
const shared = globalThis as { heldLogs?: HeldLogs };

function hold(): HeldLogs {
  const logs: HeldLogs = { lines: [], print: console.log.bind(console) };
  for (const level of ["log", "info", "warn", "error"] as const) {
    console[level] = (...parts: unknown[]) => void logs.lines.push(parts.map(String).join(" "));
  }
  return logs;
}

shared.heldLogs ??= hold();
const { lines, print } = shared.heldLogs;

beforeEach(() => {
  lines.length = 0;
  onTestFailed(() => {
    for (const line of lines) print(line);
  });
});
