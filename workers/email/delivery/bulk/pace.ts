import { toRetryAfterSeconds } from "../../../kit/limits/limiter";
import { SECOND_MS } from "../../../kit/time";
import type { EmailServices } from "../../services";

/** Maximum number of bulk messages per claim and per queue message. */
export const BULK_SIZE = 300;

/** A claim at a time sends up to this many mails per second with its parallel attempts. */
const PER_SECOND_OF_CLAIM = 10;
const MIN_CLAIMS = 2;
/** The maximum wait for the end of another claim, which is usually over long before its lease. */
const CLAIM_WAIT_SECONDS = 10;

/**
 * Permission to claim and attempt messages now, or the seconds until it can be granted. `end` must follow the claim; `release`
 * instead of it also returns the unused attempts.
 */
type Reservation =
  | { ok: true; end: () => Promise<void>; release: () => Promise<void> }
  | { ok: false; waitSeconds: number };

/**
 * The pace of bulk mail of one company. `claimSize` messages take at most half of a lease at this pace. Attempts of a claim start
 * at least `intervalMs` apart.
 */
export type BulkPace = {
  claimSize: number;
  intervalMs: number;
  /** Reserves a claim and its attempts in the rate limiter. */
  reserve: (count: number) => Promise<Reservation>;
};

/** The pace without limits. */
export const UNLIMITED: BulkPace = {
  claimSize: BULK_SIZE,
  intervalMs: 0,
  reserve: async () => ({ ok: true, end: async () => undefined, release: async () => undefined }),
};

const CLAIMS = "claims";

type PaceServices = Pick<EmailServices, "settings" | "limiter">;

/** A rate in messages per second, and the name under which the rate limiter counts it; null: it is not counted. */
type PaceRate = { name: string | null; perSecond: number };

/**
 * Returns the pace of a company's bulk mail. Companies that may use the platform sender share the rate of that sender too. The
 * number of claims at the same time grows with the rate, which limits the parallel attempts of a sender. When the rate limiter
 * does not respond, only the interval within each claim limits the rate. Without a company id, as in queue messages of older
 * releases, nothing is reserved.
 */
export function bulkPace({ settings, limiter }: PaceServices, companyId: number | null): BulkPace {
  const { company, sender } = settings.bulkRates;
  const usesPlatform = companyId !== null && settings.platformCompanyIds.has(companyId);
  const all: PaceRate[] = [
    { name: companyId === null ? null : `bulk:${companyId}`, perSecond: company },
    ...(usesPlatform ? [{ name: "bulk:platform", perSecond: sender }] : []),
  ];
  const rates = all
    .filter(({ perSecond }) => perSecond > 0)
    .map((rate) => ({ ...rate, limit: limitWithinLease(rate.perSecond, settings.leaseMs.other) }));
  if (rates.length === 0) return UNLIMITED;
  return {
    claimSize: Math.min(...rates.map(({ limit }) => limit)),
    intervalMs: SECOND_MS / Math.min(...rates.map(({ perSecond }) => perSecond)),
    reserve: async (count) => {
      const held: { name: string; reservation: string }[] = [];
      const release = async (part?: { keys: string[] }) => {
        await Promise.all(held.map(({ name, reservation }) => limiter.release(name, reservation, part)));
      };
      for (const { name, limit, perSecond } of rates) {
        if (name === null) continue;
        const windowMs = Math.ceil((limit / perSecond) * SECOND_MS);
        const claims = Math.max(MIN_CLAIMS, Math.ceil(perSecond / PER_SECOND_OF_CLAIM));
        const decision = await limiter.tryReserve(name, [
          { key: "attempts", limit, windowMs, cost: count },
          // A claim whose consumer died counts until its lease ends.
          { key: CLAIMS, limit: claims, windowMs: settings.leaseMs.other },
        ]);
        if (decision.ok === false) {
          await release();
          const waitSeconds = toRetryAfterSeconds(decision);
          const isHeldByClaims = decision.refusedKeys.includes(CLAIMS);
          return { ok: false, waitSeconds: isHeldByClaims ? Math.min(waitSeconds, CLAIM_WAIT_SECONDS) : waitSeconds };
        }
        held.push({ name, reservation: decision.reservation });
      }
      return { ok: true, end: () => release({ keys: [CLAIMS] }), release: () => release() };
    },
  };
}

/** Returns how many messages a claim may hold at this rate. The other half of the lease is left for slow providers. */
function limitWithinLease(perSecond: number, leaseMs: number): number {
  return Math.min(BULK_SIZE, Math.max(1, Math.floor((perSecond * leaseMs) / 2 / SECOND_MS)));
}

/** Returns a function whose calls resolve in order, at least `intervalMs` apart. */
export function createGate(intervalMs: number): () => Promise<void> {
  if (intervalMs === 0) return async () => undefined;
  let next = Promise.resolve();
  return () => {
    const turn = next;
    next = turn.then(() => new Promise((resolve) => setTimeout(resolve, intervalMs)));
    return turn;
  };
}
