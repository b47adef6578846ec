import { MINUTE_MS } from "../time";

const MAX_KEYS = 500;
const VERIFIED_MS = 10 * MINUTE_MS;

/**
 * SHA-256 hashes of the keys that this isolate verified in the last ten minutes, each with a value. They grant no access,
 * because every request verifies its key in the database. A known hash only lets a request read its data in the same round trip
 * as the key. Times are in ms since the epoch.
 */
export type VerifiedKeys<T> = {
  get(hash: string, now: number): T | null;
  add(hash: string, value: T, now: number): void;
  delete(hash: string): void;
};

/** Creates an empty cache. Above 500 keys, it evicts the key whose last verification is the oldest. */
export function createVerifiedKeys<T>(): VerifiedKeys<T> {
  // A Map keeps insertion order, which is the order of the last verification here.
  const verified = new Map<string, { value: T; expiresAt: number }>();
  return {
    get(hash, now) {
      const key = verified.get(hash);
      return key !== undefined && key.expiresAt > now ? key.value : null;
    },
    add(hash, value, now) {
      verified.delete(hash);
      verified.set(hash, { value, expiresAt: now + VERIFIED_MS });
      const [oldest] = verified.keys();
      if (verified.size > MAX_KEYS && oldest !== undefined) verified.delete(oldest);
    },
    delete: (hash) => void verified.delete(hash),
  };
}
