import { afterEach, expect, test, vi } from "vitest";
import { clock } from "../../../workers/kit/clock";
import { messageId, uuid } from "../../../workers/kit/ids";
import type { LogFields } from "../../../workers/kit/log";
import { createLog, errorName } from "../../../workers/kit/log";

const realNow = clock.now;
afterEach(() => {
  clock.now = realNow;
  vi.restoreAllMocks();
});

test("writes one JSON line that contains only the context and flat fields", () => {
  clock.now = () => Date.UTC(2026, 0, 2);
  const lines: string[] = [];
  for (const level of ["log", "warn", "error"] as const) {
    vi.spyOn(console, level).mockImplementation((line: string) => lines.push(line));
  }
  const log = createLog({ service: "email", request_id: "r1" });
  const fields = {
    company_id: 3,
    message: "forged",
    note: "a\nb",
    gone: undefined,
    error: new Error("secret"),
    list: ["a"],
  };
  log.info("accepted", fields as unknown as LogFields);
  log.with({ job: "sweep" }).warn("slow", { ms: 12.5, ok: true });
  log.error("failed", { request_id: "r2", cause: errorName(new TypeError("input")) });
  expect(lines.every((line) => !line.includes("\n"))).toBe(true);
  const time = "2026-01-02T00:00:00.000Z";
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { time, level: "info", message: "accepted", service: "email", request_id: "r1", company_id: 3, note: "a\nb" },
    { time, level: "warn", message: "slow", service: "email", request_id: "r1", job: "sweep", ms: 12.5, ok: true },
    { time, level: "error", message: "failed", service: "email", request_id: "r2", cause: "TypeError" },
  ]);
});

test("adds notes only to the last info line of a request", () => {
  const lines: Record<string, unknown>[] = [];
  for (const level of ["log", "warn"] as const) {
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(JSON.parse(line)));
  }
  const log = createLog({ service: "email" });
  log.note({ sent: 1, status: 7 });
  log.note({ failed: 2 });
  log.warn("slow");
  log.with({ run_id: 3 }).info("run");
  log.info("request", { status: 200 });
  expect(lines.map(({ time: _time, level: _level, service: _service, ...fields }) => fields)).toEqual([
    { message: "slow" },
    { message: "run", run_id: 3 },
    { message: "request", sent: 1, failed: 2, status: 200 },
  ]);
});

test("creates message ids that are time-ordered UUIDs and ascend within one millisecond", () => {
  clock.now = () => 1_800_000_000_123;
  const ids = Array.from({ length: 10_000 }, () => messageId());
  expect(ids.every((id) => /^msg_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/.test(id))).toBe(true);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(Number.parseInt(ids[0]?.slice(4, 16) ?? "", 16)).toBe(1_800_000_000_123);
  clock.now = () => 1_800_000_001_000;
  expect(messageId() > (ids.at(-1) ?? "")).toBe(true);
  expect(uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
