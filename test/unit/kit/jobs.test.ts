import { describe, expect, it } from "vitest";
import { healthOf, isBeatStale, isOverdue, schedulerStateOf } from "../../../workers/kit/jobs/api/health";
import { everyMinute, hourly } from "../../../workers/kit/jobs/job";
import { sanitizeMessage } from "../../../workers/kit/jobs/runs/failure-message";
import { cpuMsOf } from "../../support/wall-clock";

describe("sanitizing a failure message", () => {
  it.each([
    ["one\nline\tonly\u0000 here", "one line only here"],
    ["GET https://user:pass@host.example:8443/a/b?token=x&y=1#frag failed", "GET https://host.example:8443/a/b failed"],
    ["connect postgres://admin:secret@db.internal/main?ssl=1", "connect postgres://db.internal/main"],
    ["password=hunter2, retry=3", "password=[Filtered], retry=3"],
    ['{"api_key": "abc123", "page": 2}', '{"api_key": [Filtered], "page": 2}'],
    ["X-Api-Key: abc123; other", "X-Api-Key: [Filtered]; other"],
    ["refresh_token=abc client_secret='a b'", "refresh_token=[Filtered] client_secret=[Filtered]"],
    ["sent Authorization: Bearer abc.def-ghi", "sent Authorization: Bearer [Filtered]"],
    ["with basic dXNlcjpwYXNz done", "with basic [Filtered] done"],
    ["jwt eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln bad", "jwt [Filtered] bad"],
    [`hash ${"0a".repeat(16)} unknown`, "hash [Filtered] unknown"],
    ["id 0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a stays", "id 0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a stays"],
    ["key whsec_MfKQ9r8GKYqrTwjU or esk_abcdefghij", "key [Filtered] or [Filtered]"],
    ["no mailbox mina@example.com here", "no mailbox [Filtered] here"],
    ["D1_ERROR: no such table: runs: SQLITE_ERROR", "D1_ERROR: no such table: runs: SQLITE_ERROR"],
  ])("turns %j into %j", (text, expected) => {
    expect(sanitizeMessage(text)).toBe(expected);
  });

  it("adds an ellipsis beyond 300 characters, and is fast for any text", () => {
    expect(sanitizeMessage("x y ".repeat(75))).toHaveLength(299);
    const cut = sanitizeMessage("word ".repeat(100));
    expect([cut.length, cut.at(-1)]).toEqual([300, "…"]);
    const texts = [
      "a".repeat(100_000),
      "token".repeat(20_000),
      "https://".repeat(10_000),
      "a@".repeat(50_000),
      "a.".repeat(50_000),
      "a=".repeat(50_000),
    ];
    expect(cpuMsOf(() => texts.forEach(sanitizeMessage))).toBeLessThan(500);
  });
});

describe("the health of a job", () => {
  const state = { created_at: 1000, last_success_at: null };

  it("counts from the last success, or from the creation of the tables before the first success", () => {
    expect(isOverdue(state, 180, 181_000)).toBe(false);
    expect(isOverdue(state, 180, 181_001)).toBe(true);
    expect(isOverdue({ ...state, last_success_at: 100_000 }, 180, 280_000)).toBe(false);
    expect(isOverdue({ ...state, last_success_at: 100_000 }, 180, 280_001)).toBe(true);
  });

  it.each([
    [{ schedulerEnabled: false, lastStartedAt: null, lastFinished: null, overdue: true }, "disabled"],
    [{ schedulerEnabled: false, lastStartedAt: 1, lastFinished: null, overdue: true }, "overdue"],
    [{ schedulerEnabled: false, lastStartedAt: 1, lastFinished: "failed", overdue: true }, "failing"],
    [{ schedulerEnabled: true, lastStartedAt: null, lastFinished: null, overdue: false }, "healthy"],
    [{ schedulerEnabled: true, lastStartedAt: null, lastFinished: null, overdue: true }, "overdue"],
    [{ schedulerEnabled: true, lastStartedAt: 1, lastFinished: "succeeded", overdue: false }, "healthy"],
    [{ schedulerEnabled: true, lastStartedAt: 1, lastFinished: "failed", overdue: false }, "failing"],
  ])("with %j is %s", (job, health) => {
    expect(healthOf(job)).toBe(health);
  });

  it("detects a scheduler that is silent for 3 minutes, and immediately one that has never published", () => {
    expect(isBeatStale(true, null, 0)).toBe(true);
    expect(isBeatStale(true, 0, 180_000)).toBe(false);
    expect(isBeatStale(true, 0, 180_001)).toBe(true);
    expect(isBeatStale(false, null, 0)).toBe(false);
  });

  it.each([
    [{ enabled: false, hasBroker: false, stale: false }, "disabled"],
    [{ enabled: true, hasBroker: false, stale: true }, "no_broker"],
    [{ enabled: true, hasBroker: true, stale: true }, "stale"],
    [{ enabled: true, hasBroker: true, stale: false }, "running"],
  ])("reports %s for the scheduler state %j", (scheduler, state) => {
    expect(schedulerStateOf(scheduler)).toBe(state);
  });
});

it("expects the next run after a minute for a minute job, and at the next minute 17 for an hourly job", () => {
  const at = (text: string) => Date.parse(`2026-10-07T${text}Z`);
  expect(everyMinute.nextAfter(at("10:00:00.500"))).toBe(at("10:01:00.500"));
  expect(hourly.nextAfter(at("10:16:59.999"))).toBe(at("10:17:00"));
  expect(hourly.nextAfter(at("10:17:00"))).toBe(at("11:17:00"));
  expect(hourly.nextAfter(at("23:59:00"))).toBe(Date.parse("2026-10-08T00:17:00Z"));
});
