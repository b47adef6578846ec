import type { ClaimedRow } from "./claim.store";
import { createHostQueues } from "./host-queues";
import { type LoopEnd, type LoopLimits, type LoopState, newLoopState, nextAction } from "./loop-state";
import type { Result } from "./settlement.store";
import { createWake } from "./wake";

/**
 * The minimum time between two writes of results. A loop that has nothing else to do writes them after STORE_WHEN_IDLE_MS.
 */
const STORE_EVERY_MS = 1000;
const STORE_WHEN_IDLE_MS = 200;
/**
 * The first delay before another claim when other invocations use up the limits. The delay doubles with each claim that
 * returns nothing, because many invocations may wait for one slow receiver.
 */
const LIMITED_WAIT_MS = 500;
const MAX_LIMITED_WAIT_MS = 4000;
/** How often the leases of waiting rows are checked. */
const RENEW_EVERY_MS = 1000;

/** The result of one claim. `isMore` is true when more rows may be claimable, now or when limits are free. */
export type Claimed = { rows: ClaimedRow[]; isMore: boolean; statements: number };

export type LoopOptions = LoopLimits & {
  now: () => number;
  claim: () => Promise<Claimed>;
  /** makes one attempt; returns null when there is no result and the lease must expire; never throws */
  attempt: (row: ClaimedRow) => Promise<Result | null>;
  /** renews the leases of waiting rows that need it, in one statement; returns null when none do */
  renew?: (waiting: readonly ClaimedRow[]) => Promise<void> | null;
  /** returns the result of a row that is released without an attempt */
  release: (row: ClaimedRow) => Result;
  /** stores results; returns the number of statements */
  store: (results: Result[]) => Promise<number>;
  /** called once when no more rows can be claimed for now; claimed rows may still wait for a slot */
  onQuiet?: () => void;
};

/**
 * Claims rows, attempts them and stores the results, all concurrently. Ends when no rows are left, or when the deadline
 * or the budget is reached. A receiver that does not respond blocks only its own slot. Throws the error of `claim`,
 * `renew` or `store` once no attempt is running. `nextAction` decides what to do; this function does it.
 */
export async function runLoop(options: LoopOptions): Promise<LoopEnd> {
  const { concurrency, chunk, deadline, budget, whenLimited, now } = options;
  const state = newLoopState({ concurrency, chunk, deadline, budget, whenLimited });
  const queues = createHostQueues(concurrency);
  const results: Result[] = [];
  const wake = createWake();
  let stores = 0;
  let failure: unknown;
  let limitedWaitMs = LIMITED_WAIT_MS;

  const observed = (): LoopState =>
    Object.assign(state, {
      waiting: queues.waiting().length,
      ready: queues.ready(),
      running: queues.running(),
      results: results.length,
    });

  /** Runs work in the background and wakes the loop when the work has ended. */
  const work = (run: () => Promise<void>) => {
    void run()
      .catch((error: unknown) => {
        if (!state.hasFailed) failure = error;
        state.hasFailed = true;
      })
      .finally(wake.signal);
  };

  const restartStoreTimers = () => {
    wake.clear();
    state.isLimited = false;
    state.storeState = "recent";
    wake.after(STORE_WHEN_IDLE_MS, () => {
      state.storeState = "whenIdle";
    });
    wake.after(STORE_EVERY_MS, () => {
      state.storeState = "due";
    });
  };

  const actions = {
    claim() {
      state.hasAcceptedRows = true;
      state.isClaiming = true;
      const storesBefore = stores;
      work(async () => {
        try {
          const claimed = await options.claim();
          state.statements += claimed.statements;
          queues.add(claimed.rows);
          if (claimed.rows.length > 0) limitedWaitMs = LIMITED_WAIT_MS;
          state.isMore = claimed.isMore;
          state.canClaim = state.isMore && (claimed.rows.length >= chunk || stores > storesBefore);
        } finally {
          state.isClaiming = false;
        }
      });
    },
    release() {
      state.hasAcceptedRows = true;
      results.push(...queues.clear().map(options.release));
    },
    start() {
      state.hasAcceptedRows = true;
      for (let row = queues.next(); row !== null; row = queues.next()) attempt(row);
    },
    renew() {
      state.hasRenewed = true;
      const renewed = options.renew?.(queues.waiting()) ?? null;
      if (renewed === null) return;
      state.isRenewing = true;
      work(async () => {
        try {
          await renewed;
          state.statements += 1;
        } finally {
          state.isRenewing = false;
        }
      });
    },
    store() {
      state.isStoring = true;
      restartStoreTimers();
      const stored = results.splice(0);
      work(async () => {
        try {
          state.statements += await options.store(stored);
          stores += 1;
          // The leases of the stored rows have ended, which may have freed limits.
          state.canClaim = state.isMore;
        } catch (error) {
          state.isStoreBroken = true;
          throw error;
        } finally {
          state.isStoring = false;
        }
      });
    },
    backOff() {
      state.isLimited = true;
      wake.after(Math.min(limitedWaitMs, Math.max(0, deadline - now())), () => {
        state.isLimited = false;
        state.canClaim = true;
      });
      limitedWaitMs = Math.min(2 * limitedWaitMs, MAX_LIMITED_WAIT_MS);
    },
    quiet() {
      state.isQuiet = true;
      options.onQuiet?.();
    },
  };

  const attempt = (row: ClaimedRow) => {
    work(async () => {
      const result = await options.attempt(row);
      queues.end(row, result);
      if (result !== null) results.push(result);
    });
  };

  const renewal = options.renew === undefined ? undefined : setInterval(wake.signal, RENEW_EVERY_MS);
  restartStoreTimers();
  try {
    for (;;) {
      const action = nextAction(observed(), now());
      if (action.kind === "end") return action.reason;
      if (action.kind === "fail") throw failure;
      if (action.kind !== "sleep") {
        actions[action.kind]();
        continue;
      }
      await wake.wait();
      state.hasAcceptedRows = false;
      state.hasRenewed = false;
    }
  } finally {
    if (renewal !== undefined) clearInterval(renewal);
    wake.clear();
  }
}
