import { MINUTE_MS } from "../../../kit/time";

const MAX_KEYS = 500;
const VERIFIED_MS = 10 * MINUTE_MS;

/**
 * SHA-256 hashes of the service keys that this isolate verified in the last ten minutes. They grant no access, because every
 * request verifies its key in the database. A known hash only lets a request read its data in the same round trip as the key.
 * Times are in ms since the epoch.
 */
export type VerifiedKeys = {
  has(hash: string, now: number): boolean;
  add(hash: string, now: number): void;
  delete(hash: string): void;
};

/** Creates an empty cache. Above 500 keys, it evicts the key whose last verification is the oldest. */
export function createVerifiedKeys(): VerifiedKeys {
  // A Map keeps insertion order, which is the order of the last verification here.
  const expiries = new Map<string, number>();
  return {
    has: (hash, now) => (expiries.get(hash) ?? 0) > now,
    add(hash, now) {
      expiries.delete(hash);
      expiries.set(hash, now + VERIFIED_MS);
      const [oldest] = expiries.keys();
      if (expiries.size > MAX_KEYS && oldest !== undefined) expiries.delete(oldest);
    },
    delete: (hash) => void expiries.delete(hash),
  };
}
