import { MINUTE_MS } from "../../../kit/time";

const MAX_KEYS = 500;
const REMEMBERED_MS = 10 * MINUTE_MS;

/**
 * SHA-256 hashes of the service keys that this isolate found active in the last ten minutes. They grant nothing: every
 * request verifies its key live. A known hash only allows the facts of a request to be read in the same round trip as its
 * key. Times are unix ms.
 */
export type ProvenKeys = {
  has(hash: string, now: number): boolean;
  add(hash: string, now: number): void;
  delete(hash: string): void;
};

/** No keys yet. Above 500 keys the one that was verified longest ago is forgotten. */
export function createProvenKeys(): ProvenKeys {
  // Map keeps the order of insertion, which is that of the last verification.
  const ends = new Map<string, number>();
  return {
    has: (hash, now) => (ends.get(hash) ?? 0) > now,
    add(hash, now) {
      ends.delete(hash);
      ends.set(hash, now + REMEMBERED_MS);
      const [oldest] = ends.keys();
      if (ends.size > MAX_KEYS && oldest !== undefined) ends.delete(oldest);
    },
    delete: (hash) => void ends.delete(hash),
  };
}
