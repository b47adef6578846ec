import { afterEach, expect, it, vi } from "vitest";
import { createProgress } from "../../../../cli/people/progress.ts";

const CLEARED = "\r\u001b[K";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  Object.defineProperty(process.stderr, "isTTY", { value: undefined, configurable: true });
});

/** Makes stderr a terminal and stops the clock. Returns the texts that are written to stderr. */
function openTerminal(): string[] {
  vi.useFakeTimers({ toFake: ["Date"] });
  Object.defineProperty(process.stderr, "isTTY", { value: true, configurable: true });
  const output: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => output.push(String(text)) > 0);
  vi.spyOn(console, "error").mockImplementation((text) => void output.push(`${text}\n`));
  return output;
}

it("clears the progress on a terminal before it prints a line", () => {
  const output = openTerminal();
  const progress = createProgress(1000);
  vi.setSystemTime(Date.now() + 1000);
  progress.add(500);
  progress.print("line 7: email (required): the value is missing");
  progress.end();
  expect(output.join("")).toBe(
    `${CLEARED}500 of 1000 rows, 500 rows/s, 1 s left${CLEARED}line 7: email (required): the value is missing\n${CLEARED}`,
  );
});

it.each([
  [1000, 500, 10, "50 rows/s, 10 s left", 50],
  [6000, 100, 360, "17 rows/min, 5 h 54 min left", 0.28],
  [200, 100, 3600, "1.7 rows/min, 60 min left", 0.028],
  [300, 100, 3600, "1.7 rows/min, 2 h left", 0.028],
])(
  "with %i rows in total, shows the rate and the time left after %i rows in %i s",
  (total, rows, seconds, text, rowsPerSecond) => {
    const output = openTerminal();
    const progress = createProgress(total);
    vi.setSystemTime(Date.now() + seconds * 1000);
    progress.add(rows);
    expect(output.join("")).toBe(`${CLEARED}${rows} of ${total} rows, ${text}`);
    expect(progress.rates().rows_per_second).toBe(rowsPerSecond);
  },
);
