/** Why a loop ended: nothing was left, or the time or the statements were used up. */
export type LoopEnd = "empty" | "deadline" | "budget";

/** The limits of a loop, constant while it runs. */
export type LoopLimits = {
  /** maximum number of parallel attempts */
  concurrency: number;
  /** rows of one claim; at most twice as many wait for slots, so that rows of slow hosts do not pile up */
  chunk: number;
  /** unix ms; nothing is claimed or begun after it */
  deadline: number;
  /** maximum number of statements; nothing is claimed or begun beyond them */
  budget: number;
  /**
   * what to do when nothing runs and a claim returns no row although more may exist, because other invocations hold the
   * limits
   */
  whenLimited: "wait" | "end";
};

/** Everything that the next action of a loop depends on, except the time. */
export type LoopState = {
  readonly limits: LoopLimits;
  /** statements so far */
  statements: number;
  /** claimed rows that wait for a slot, and how many of them could begin if slots were free */
  waiting: number;
  ready: number;
  /** attempts that are running */
  running: number;
  /** results that are not stored yet */
  results: number;
  /** database calls in flight */
  isClaiming: boolean;
  isStoring: boolean;
  isRenewing: boolean;
  /** false after a claim that was not full, until limits may be free again: it returned every row that it could */
  mayClaim: boolean;
  /** there may be unclaimed rows */
  isMore: boolean;
  /** since the last store: `soon` stores when the loop has nothing else to do, `due` at once */
  pace: "fresh" | "soon" | "due";
  /** the loop waits for limits that other invocations hold */
  isLimited: boolean;
  /** `onQuiet` was called */
  isQuiet: boolean;
  /** a claim, a renewal or a store failed; results are still stored unless the store failed */
  hasFailed: boolean;
  isStoreBroken: boolean;
  /** since the loop last slept: rows are accepted and leases renewed at most once per wake-up */
  hasAcceptedRows: boolean;
  hasRenewed: boolean;
};

/**
 * The next action of a loop: `claim` rows, `release` the waiting ones without an attempt, `begin` as many attempts as
 * there are slots, `renew` leases, `store` results, `hold` back for a while, call `onQuiet`, `sleep` until something
 * happens, throw its failure, or end.
 */
export type LoopAction =
  | { kind: "claim" | "release" | "begin" | "renew" | "store" | "hold" | "quiet" | "sleep" | "fail" }
  | { kind: "end"; reason: LoopEnd };

/** Returns the state of a loop that has not begun. */
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

/** Returns the next action at a time (unix ms); pure. */
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
