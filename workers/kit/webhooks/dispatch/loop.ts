import type { ClaimedRow } from "./claim.store";
import { createHostQueues } from "./host-queues";
import type { Result } from "./settlement.store";

/** Results are stored at most this often; a loop that has nothing else to do stores them sooner. */
const STORE_EVERY_MS = 1000;
const STORE_SOON_MS = 200;
/** Wait for limits that other invocations hold: doubled each time in vain, since many may wait for one slow receiver. */
const HELD_WAIT_MS = 500;
const MAX_HELD_WAIT_MS = 4000;
/** Leases of waiting rows are looked at so often at least. */
const RENEW_EVERY_MS = 1000;

/** What one claim brought. `isMore`: there may be more, now or when limits are free. */
export type Claimed = { rows: ClaimedRow[]; isMore: boolean; statements: number };

export type LoopOptions = {
  /** attempts in parallel */
  concurrency: number;
  /** rows of one claim; at most twice as many wait here, so that rows of slow hosts do not pile up */
  chunk: number;
  /** unix ms; nothing is claimed or begun after it */
  deadline: number;
  /** most statements; nothing is claimed or begun beyond them */
  budget: number;
  now: () => number;
  claim: () => Promise<Claimed>;
  /** what to do when nothing runs and a claim brings nothing although there may be more: others hold the limits */
  whenHeld: "wait" | "end";
  /** One attempt; null when it left no result, so that only its lease ends. Never throws. */
  attempt: (row: ClaimedRow) => Promise<Result | null>;
  /** Renews the leases of waiting rows that need it; null: none does. Each is one statement. */
  renew?: (waiting: readonly ClaimedRow[]) => Promise<void> | null;
  /** a row that is given back */
  free: (row: ClaimedRow) => Result;
  /** Stores results; answers how many statements that were. */
  store: (results: Result[]) => Promise<number>;
  /** called once when nothing more can be claimed for now; what was claimed may still wait for its slot */
  onQuiet?: () => void;
};

/** Why a loop ended: nothing was left, or there was no time or no statement for what is left. */
export type LoopEnd = "empty" | "deadline" | "budget";

/**
 * Claims rows, attempts them and stores the results, all three at the same time, until nothing is left, the deadline or
 * the budget. A receiver that does not answer holds its own slot and nothing else. Throws what `claim` or `store`
 * throw, once no attempt runs any more.
 */
export async function runLoop(options: LoopOptions): Promise<LoopEnd> {
  const { concurrency, chunk, deadline, budget, now, whenHeld, onQuiet } = options;
  const queues = createHostQueues(concurrency);
  const results: Result[] = [];
  const wake = createWake();
  let statements = 0;
  let stores = 0;
  let failure: { error: unknown } | null = null;
  let isStoreBroken = false;
  let isClaiming = false;
  let isStoring = false;
  let isRenewing = false;
  /** false after a claim that was not full, until limits may have become free: it took all that it could */
  let mayClaim = true;
  let isMore = true;
  let isQuiet = false;
  let isStoreDue = false;
  let isStoreSoon = false;
  let heldWaitMs = HELD_WAIT_MS;
  let isHeld = false;

  const work = (run: () => Promise<void>) => {
    void run()
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(wake.ring);
  };

  const claim = () => {
    isClaiming = true;
    const storesBefore = stores;
    work(async () => {
      try {
        const claimed = await options.claim();
        statements += claimed.statements;
        queues.add(claimed.rows);
        if (claimed.rows.length > 0) heldWaitMs = HELD_WAIT_MS;
        isMore = claimed.isMore;
        mayClaim = isMore && (claimed.rows.length >= chunk || stores > storesBefore);
      } finally {
        isClaiming = false;
      }
    });
  };

  const restPacing = () => {
    wake.clear();
    isHeld = false;
    isStoreDue = false;
    isStoreSoon = false;
    wake.after(STORE_SOON_MS, () => {
      isStoreSoon = true;
    });
    wake.after(STORE_EVERY_MS, () => {
      isStoreDue = true;
    });
  };

  const store = () => {
    isStoring = true;
    restPacing();
    const stored = results.splice(0);
    work(async () => {
      try {
        statements += await options.store(stored);
        stores += 1;
        // Their leases have ended, which may have freed limits.
        mayClaim = isMore;
      } catch (error) {
        isStoreBroken = true;
        throw error;
      } finally {
        isStoring = false;
      }
    });
  };

  const begin = (row: ClaimedRow) => {
    work(async () => {
      const result = await options.attempt(row);
      queues.end(row, result);
      if (result !== null) results.push(result);
    });
  };

  const renew = () => {
    const renewed = options.renew?.(queues.waiting()) ?? null;
    if (renewed === null) return;
    isRenewing = true;
    work(async () => {
      try {
        await renewed;
        statements += 1;
      } finally {
        isRenewing = false;
      }
    });
  };

  const renewal = options.renew === undefined ? undefined : setInterval(wake.ring, RENEW_EVERY_MS);
  restPacing();
  try {
    for (;;) {
      const end: LoopEnd | null = now() >= deadline ? "deadline" : statements >= budget ? "budget" : null;
      if (end !== null || failure !== null) results.push(...queues.clear().map(options.free));
      else if (mayClaim && !isClaiming && queues.ready() < concurrency && queues.waiting().length < 2 * chunk) claim();
      for (let row = queues.next(); row !== null; row = queues.next()) begin(row);
      if (!isRenewing && failure === null) renew();

      const isIdle = queues.waiting().length === 0 && queues.running() === 0 && !isClaiming && !isRenewing;
      const isStarved = queues.ready() === 0 && !isClaiming && !mayClaim;
      const mayStore = results.length > 0 && !isStoring && !isStoreBroken;
      if (mayStore && (isIdle || isStoreDue || (isStarved && isStoreSoon))) store();
      else if (isIdle && !isStoring) {
        if (failure !== null) throw (failure as { error: unknown }).error;
        if (!isMore || (!mayClaim && whenHeld === "end")) return "empty";
        if (end !== null) return end;
        if (!mayClaim && !isHeld) {
          isHeld = true;
          wake.after(Math.min(heldWaitMs, Math.max(0, deadline - now())), () => {
            isHeld = false;
            mayClaim = true;
          });
          heldWaitMs = Math.min(2 * heldWaitMs, MAX_HELD_WAIT_MS);
        }
      }
      if (!isQuiet && !isClaiming && !mayClaim) {
        isQuiet = true;
        onQuiet?.();
      }
      await wake.wait();
    }
  } finally {
    if (renewal !== undefined) clearInterval(renewal);
    wake.clear();
  }
}

/** A bell that the loop sleeps on; rings before it sleeps are heard. */
function createWake() {
  let hear = () => {};
  let isRung = false;
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const ring = () => {
    isRung = true;
    hear();
  };
  return {
    ring,
    /** Does something after a while and rings. */
    after(ms: number, run: () => void) {
      const timer = setTimeout(() => {
        timers.delete(timer);
        run();
        ring();
      }, ms);
      timers.add(timer);
    },
    async wait() {
      if (!isRung) {
        await new Promise<void>((resolve) => {
          hear = resolve;
        });
      }
      isRung = false;
    },
    /** Forgets what was to be done. */
    clear() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
