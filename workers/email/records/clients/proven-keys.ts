import { MINUTE_MS } from "../../../kit/time";

const MAX_KEYS = 500;
const REMEMBERED_MS = 10 * MINUTE_MS;

/**
 * SHA-256 hashes of the service keys that this isolate verified in the last ten minutes. They grant no access: every request
 * verifies its key in the database. A known hash only allows reading the request's data in the same round trip as its key.
 * Times are in ms since the epoch.
 */
export type ProvenKeys = {
  has(hash: string, now: number): boolean;
  add(hash: string, now: number): void;
  delete(hash: string): void;
};

/** Creates an empty cache. Beyond 500 keys it evicts the one that was verified longest ago. */
export function createProvenKeys(): ProvenKeys {
  // A Map keeps insertion order, which here is the order of the last verification.
  const expiries = new Map<string, number>();
  return {
    has: (hash, now) => (expiries.get(hash) ?? 0) > now,
    add(hash, now) {
      expiries.delete(hash);
      expiries.set(hash, now + REMEMBERED_MS);
      const [oldest] = expiries.keys();
      if (expiries.size > MAX_KEYS && oldest !== undefined) expiries.delete(oldest);
    },
    delete: (hash) => void expiries.delete(hash),
  };
}
