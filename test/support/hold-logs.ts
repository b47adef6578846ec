import { beforeEach, onTestFailed } from "vitest";

// A run writes thousands of log lines, so they are buffered and printed only for failed tests. The files of a project
// share one isolate, so the console is replaced once.
type BufferedLogs = { lines: string[]; print: (line: string) => void };
const shared = globalThis as { heldLogs?: BufferedLogs };

function hold(): BufferedLogs {
  const logs: BufferedLogs = { lines: [], print: console.log.bind(console) };
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
