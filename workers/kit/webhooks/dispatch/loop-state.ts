/** The reason why a loop ended: no more rows could be claimed, or the time or the budget of statements was used up. */
export type LoopEnd = "empty" | "deadline" | "budget";

/** The limits of a loop. They do not change while it runs. */
export type LoopLimits = {
  /** maximum number of parallel attempts */
  concurrency: number;
  /**
   * maximum number of rows in one claim. No claim starts while twice as many rows wait for slots, so that rows of slow
   * hosts do not pile up
   */
  chunk: number;
  /** unix ms; no claim or attempt starts after it */
  deadline: number;
  /** number of statements after which no claim or attempt starts */
  budget: number;
  /**
   * what to do when nothing is running and other invocations use up the limits per subscription and host, so that more rows
   * may exist than a claim returned: `wait` claims again later, `end` ends the loop
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
  /** `is…`: whether such a database call is in flight */
  isClaiming: boolean;
  isStoring: boolean;
  isRenewing: boolean;
  /**
   * whether the loop may claim. After a claim that returned fewer rows than requested, it claims again only after results
   * were stored or after `backOff`, because limits can be free by then
   */
  canClaim: boolean;
  /** whether unclaimed rows may exist */
  isMore: boolean;
  /**
   * how long ago results were last stored. `recent` stores none yet, `whenIdle` stores them if no row can be started or
   * claimed, and `due` stores them now. When no row waits, runs or is in flight, results are stored in every state
   */
  storeState: "recent" | "whenIdle" | "due";
  /** whether the loop waits before another claim, because other invocations use up limits */
  isLimited: boolean;
  /** whether `onQuiet` was called */
  isQuiet: boolean;
  /**
   * `hasFailed`: a claim, a renewal or a store failed. Results are still stored unless a store failed
   * (`isStoreBroken`).
   */
  hasFailed: boolean;
  isStoreBroken: boolean;
  /**
   * `hasAcceptedRows`: rows were claimed, released or started since the loop last slept, so it does not claim or release
   * again before it sleeps. `hasRenewed`: leases were renewed since then, so the loop does not renew them again before it
   * sleeps
   */
  hasAcceptedRows: boolean;
  hasRenewed: boolean;
};

/**
 * The next action of a loop:
 * - `claim` claims rows.
 * - `release` returns the waiting rows without an attempt.
 * - `start` starts as many attempts as there are free slots.
 * - `renew` renews leases.
 * - `store` stores results.
 * - `backOff` waits before another claim, because other invocations use up limits.
 * - `quiet` calls `onQuiet`.
 * - `sleep` waits until something happens.
 * - `fail` throws the error of the loop.
 * - `end` ends the loop.
 */
export type LoopAction =
  | { kind: "claim" | "release" | "start" | "renew" | "store" | "backOff" | "quiet" | "sleep" | "fail" }
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
  canClaim: true,
  isMore: true,
  storeState: "recent",
  isLimited: false,
  isQuiet: false,
  hasFailed: false,
  isStoreBroken: false,
  hasAcceptedRows: false,
  hasRenewed: false,
});

/** Returns the next action at `now` (unix ms). It is a pure function. */
export function nextAction(state: LoopState, now: number): LoopAction {
  const { concurrency, chunk, whenLimited } = state.limits;
  const limit = reachedLimit(state, now);
  const isStopping = limit !== null || state.hasFailed;
  if (!state.hasAcceptedRows) {
    if (isStopping && state.waiting > 0) return { kind: "release" };
    const hasRoom = state.ready < concurrency && state.waiting < 2 * chunk;
    if (!isStopping && state.canClaim && !state.isClaiming && hasRoom) return { kind: "claim" };
  }
  if (state.ready > 0 && state.running < concurrency) return { kind: "start" };
  if (!state.hasRenewed && !state.isRenewing && !state.hasFailed) return { kind: "renew" };

  const isIdle = state.waiting === 0 && state.running === 0 && !state.isClaiming && !state.isRenewing;
  if (state.results > 0 && !state.isStoring && !state.isStoreBroken) {
    const isStarved = state.ready === 0 && !state.isClaiming && !state.canClaim;
    if (isIdle || state.storeState === "due" || (isStarved && state.storeState === "whenIdle"))
      return { kind: "store" };
  }
  if (isIdle && !state.isStoring) {
    if (state.hasFailed) return { kind: "fail" };
    if (!state.isMore || (!state.canClaim && whenLimited === "end")) return { kind: "end", reason: "empty" };
    if (limit !== null) return { kind: "end", reason: limit };
    if (!state.canClaim && !state.isLimited) return { kind: "backOff" };
  }
  return { kind: !state.isQuiet && !state.isClaiming && !state.canClaim ? "quiet" : "sleep" };
}

function reachedLimit({ limits, statements }: LoopState, now: number): "deadline" | "budget" | null {
  if (now >= limits.deadline) return "deadline";
  return statements >= limits.budget ? "budget" : null;
}
