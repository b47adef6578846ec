import { type Clock, clock } from "../clock";
import { MINUTE_MS } from "../time";
import { findAddresses } from "./dns";

const MAX_TTL_MS = MINUTE_MS;
const MAX_NAMES = 1000;

// The cache of this isolate. It holds values, never promises, because a Worker may not await a promise of another
// request.
const cache = new Map<string, { addresses: string[]; until: number }>();

/**
 * Returns the addresses of a name like resolveOverHttps. Caches them in the isolate for the shortest TTL of the
 * records, at most 60 s. Failures and empty results are not cached.
 */
export async function resolveCached(
  name: string,
  resolverUrl: string,
  fetch: typeof globalThis.fetch,
  { now }: Clock = clock,
): Promise<string[]> {
  const key = `${resolverUrl} ${name}`;
  const cached = cache.get(key);
  if (cached && cached.until > now()) return cached.addresses;
  cache.delete(key);
  const records = await findAddresses(name, resolverUrl, fetch);
  const addresses = records.map(({ address }) => address);
  const ttlMs = Math.min(...records.map(({ ttl }) => ttl * 1000), MAX_TTL_MS);
  if (addresses.length > 0 && ttlMs > 0) {
    const [oldest] = cache.keys();
    if (cache.size >= MAX_NAMES && oldest !== undefined) cache.delete(oldest);
    cache.set(key, { addresses, until: now() + ttlMs });
  }
  return addresses;
}
