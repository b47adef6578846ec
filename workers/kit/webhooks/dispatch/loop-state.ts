/** The reason why a loop ended: no rows were left, or the time or the budget of statements was used up. */
export type LoopEnd = "empty" | "deadline" | "budget";

/** The limits of a loop. They do not change while it runs. */
export type LoopLimits = {
  /** maximum number of parallel attempts */
  concurrency: number;
  /**
   * maximum number of rows in one claim; at most twice as many wait for slots, so that rows of slow hosts do not pile
   * up
   */
  chunk: number;
  /** unix ms; no claim or attempt starts after it */
  deadline: number;
  /** number of statements after which no claim or attempt starts */
  budget: number;
  /**
   * what to do when nothing is running and a claim returns no row although more rows may exist, because other
   * invocations use up the limits
   */
  whenLimited: "wait" | "end";
};

/** The state of a loop. Together with the time, it determines the next action. */
export type LoopState = {
  readonly limits: LoopLimits;
  /** number of statements so far */
  statements: number;
  /** `waiting`: claimed rows that wait for a slot; `ready`: how many of them could start if slots were free */
  waiting: number;
  ready: number;
  /** number of running attempts */
  running: number;
  /** number of results that are not stored yet */
  results: number;
  /** whether a database call of this kind is in flight */
  isClaiming: boolean;
  isStoring: boolean;
  isRenewing: boolean;
  /**
   * whether the loop may claim; false after a claim that returned fewer rows than requested, until limits may have
   * become free
   */
  mayClaim: boolean;
  /** whether unclaimed rows may exist */
  isMore: boolean;
  /**
   * the time since the last store: at `soon` results are stored if the loop has nothing else to do, at `due`
   * immediately
   */
  pace: "fresh" | "soon" | "due";
  /** whether the loop waits for limits that other invocations use up */
  isLimited: boolean;
  /** whether `onQuiet` was called */
  isQuiet: boolean;
  /**
   * `hasFailed`: a claim, a renewal or a store failed. Results are still stored unless a store failed
   * (`isStoreBroken`).
   */
  hasFailed: boolean;
  isStoreBroken: boolean;
  /** what was done since the loop last slept: it claims or starts rows, and renews leases, at most once per wake-up */
  hasAcceptedRows: boolean;
  hasRenewed: boolean;
};

/**
 * The next action of a loop:
 * - `claim` claims rows.
 * - `release` returns the waiting rows without an attempt.
 * - `begin` starts as many attempts as there are free slots.
 * - `renew` renews leases.
 * - `store` stores results.
 * - `hold` waits for limits.
 * - `quiet` calls `onQuiet`.
 * - `sleep` waits until something happens.
 * - `fail` throws the error of the loop.
 * - `end` ends the loop.
 */
export type LoopAction =
  | { kind: "claim" | "release" | "begin" | "renew" | "store" | "hold" | "quiet" | "sleep" | "fail" }
  | { kind: "end"; reason: LoopEnd };

/** Returns the initial state of a loop. */
export const newLoopState = (limits: LoopLimits): LoopState => ({
  limits,
  statements: 0,
  waiting: 0,
  ready: 0,
  running: 0,
  results: 0,
  isClaiming: false,
  isStoring: false,
  isRenewing: false,
  mayClaim: true,
  isMore: true,
  pace: "fresh",
  isLimited: false,
  isQuiet: false,
  hasFailed: false,
  isStoreBroken: false,
  hasAcceptedRows: false,
  hasRenewed: false,
});

/** Returns the next action at `now` (unix ms). It is a pure function. */
export function nextAction(s: LoopState, now: number): LoopAction {
  const { concurrency, chunk, whenLimited } = s.limits;
  const limit = reachedLimit(s, now);
  const isStopping = limit !== null || s.hasFailed;
  if (!s.hasAcceptedRows) {
    if (isStopping && s.waiting > 0) return { kind: "release" };
    const hasRoom = s.ready < concurrency && s.waiting < 2 * chunk;
    if (!isStopping && s.mayClaim && !s.isClaiming && hasRoom) return { kind: "claim" };
  }
  if (s.ready > 0 && s.running < concurrency) return { kind: "begin" };
  if (!s.hasRenewed && !s.isRenewing && !s.hasFailed) return { kind: "renew" };

  const isIdle = s.waiting === 0 && s.running === 0 && !s.isClaiming && !s.isRenewing;
  if (s.results > 0 && !s.isStoring && !s.isStoreBroken) {
    const isStarved = s.ready === 0 && !s.isClaiming && !s.mayClaim;
    if (isIdle || s.pace === "due" || (isStarved && s.pace === "soon")) return { kind: "store" };
  }
  if (isIdle && !s.isStoring) {
    if (s.hasFailed) return { kind: "fail" };
    if (!s.isMore || (!s.mayClaim && whenLimited === "end")) return { kind: "end", reason: "empty" };
    if (limit !== null) return { kind: "end", reason: limit };
    if (!s.mayClaim && !s.isLimited) return { kind: "hold" };
  }
  return { kind: !s.isQuiet && !s.isClaiming && !s.mayClaim ? "quiet" : "sleep" };
}

function reachedLimit({ limits, statements }: LoopState, now: number): "deadline" | "budget" | null {
  if (now >= limits.deadline) return "deadline";
  return statements >= limits.budget ? "budget" : null;
}
