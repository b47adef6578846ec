import { describe, expect, it } from "vitest";
import {
  type LoopAction,
  type LoopState,
  newLoopState,
  nextAction,
} from "../../../../workers/kit/webhooks/dispatch/loop-state";

const limits = { concurrency: 4, chunk: 10, deadline: 1000, budget: 100, whenLimited: "wait" } as const;
/** The state of a loop that has claimed all available rows and checked its leases since its last pause. */
const idle = { ...newLoopState(limits), canClaim: false, isMore: false, isQuiet: true, hasRenewed: true };
const busy = { ...idle, running: 1 };

type Row = [title: string, action: LoopAction["kind"] | LoopAction, state: Partial<LoopState>, now?: number];

function check(base: LoopState, rows: Row[]) {
  it.each(rows)("%s: %j", (_title, action, change, now = 0) => {
    const expected = typeof action === "string" ? { kind: action } : action;
    expect(nextAction({ ...base, ...change }, now)).toEqual(expected);
  });
}

describe("a loop claims rows", () => {
  check({ ...idle, canClaim: true, isMore: true }, [
    ["at its start", "claim", {}],
    ["while attempts run and slots are free", "claim", { running: 3, ready: 3, waiting: 3 }],
    ["not while a claim is in flight", "sleep", { isClaiming: true }],
    ["not when enough rows wait for all slots", "start", { waiting: 4, ready: 4 }],
    ["not when two chunks wait for slow hosts", "sleep", { waiting: 20, running: 4 }],
    ["once per wake-up", "sleep", { hasAcceptedRows: true, running: 4 }],
    ["not after its deadline, but releases waiting rows", "release", { waiting: 2, ready: 2, running: 1 }, 1000],
    ["not beyond its budget", "release", { waiting: 2, statements: 100 }],
    ["not after a failure", "release", { waiting: 2, hasFailed: true, running: 1 }],
  ]);
});

describe("a loop with running and waiting attempts", () => {
  check({ ...busy, waiting: 3, ready: 2 }, [
    ["starts waiting attempts as long as slots are free", "start", {}],
    ["starts none when every slot is taken", "sleep", { running: 4 }],
    ["starts none for hosts without a slot", "sleep", { ready: 0 }],
    ["renews leases once per wake-up", "renew", { ready: 0, hasRenewed: false }],
    ["starts no second renewal while one is in flight", "sleep", { ready: 0, hasRenewed: false, isRenewing: true }],
    [
      "renews no lease after a failure",
      "sleep",
      { ready: 0, hasRenewed: false, hasFailed: true, hasAcceptedRows: true },
    ],
  ]);
});

describe("a loop stores results", () => {
  check({ ...busy, results: 1 }, [
    ["when nothing else is left", "store", { running: 0 }],
    ["a second after the last store", "store", { storeState: "due", waiting: 3, ready: 0, running: 4 }],
    ["before they are due when it has nothing else to do", "store", { storeState: "whenIdle" }],
    [
      "not before they are due while a claim may return rows",
      "sleep",
      { storeState: "whenIdle", canClaim: true, isMore: true, hasAcceptedRows: true },
    ],
    ["not at once while attempts run", "sleep", {}],
    ["not while a store is in flight", "sleep", { storeState: "due", isStoring: true }],
    ["even after a failed claim", "store", { hasFailed: true, running: 0 }],
    ["not after a failed store", "fail", { hasFailed: true, isStoreBroken: true, running: 0 }],
  ]);
});

describe("a loop ends", () => {
  check(idle, [
    ["when nothing is left", { kind: "end", reason: "empty" }, {}],
    ["not while an attempt runs", "sleep", { running: 1 }],
    ["not while a store is in flight", "sleep", { isStoring: true }],
    ["not while a renewal is in flight", "sleep", { isRenewing: true }],
    ["at its deadline, with more to do", { kind: "end", reason: "deadline" }, { isMore: true }, 1000],
    ["at its budget, with more to do", { kind: "end", reason: "budget" }, { isMore: true, statements: 100 }],
    ["with its error, once nothing runs", "fail", { hasFailed: true }],
    ["not after a failure while attempts run", "sleep", { hasFailed: true, running: 2 }],
    [
      "when other invocations use up the limits per subscription and host, and it may not wait",
      { kind: "end", reason: "empty" },
      { isMore: true, limits: { ...limits, whenLimited: "end" } },
    ],
  ]);
});

describe("a loop waits", () => {
  check({ ...idle, isMore: true }, [
    ["when other invocations use up the limits per subscription and host", "backOff", {}],
    ["only once for these limits", "sleep", { isLimited: true }],
    ["and calls onQuiet once, when it can claim nothing more for now", "quiet", { isLimited: true, isQuiet: false }],
    ["but is not quiet during a claim", "sleep", { isLimited: true, isQuiet: false, isClaiming: true }],
  ]);
});
