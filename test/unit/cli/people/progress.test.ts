import { afterEach, expect, it, vi } from "vitest";
import { createProgress } from "../../../../cli/people/progress.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  Object.defineProperty(process.stderr, "isTTY", { value: undefined, configurable: true });
});

it("clears the progress on a terminal before it prints a line", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  Object.defineProperty(process.stderr, "isTTY", { value: true, configurable: true });
  const output: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => output.push(String(text)) > 0);
  vi.spyOn(console, "error").mockImplementation((text) => void output.push(`${text}\n`));
  const progress = createProgress(1000);
  vi.setSystemTime(Date.now() + 1000);
  progress.add(500);
  progress.print("line 7: email (required): the value is missing");
  progress.end();
  const cleared = "\r\u001b[K";
  expect(output.join("")).toBe(
    `${cleared}500 of 1000 rows, 500 rows/s, 1 s left${cleared}line 7: email (required): the value is missing\n${cleared}`,
  );
});
