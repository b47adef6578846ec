/**
 * A limit of at most `limit` units in any `windowMs` milliseconds under `key`. A call counts `cost` units (default 1).
 */
export type Counter = { key: string; limit: number; windowMs: number; cost?: number };

/**
 * A rejected call: the first full counter, the keys of all full counters, and the time until the same call would be
 * accepted.
 */
export type Refusal = {
  ok: false;
  key: string;
  limit: number;
  windowMs: number;
  retryAfterMs: number;
  refusedKeys: string[];
};

/** The units of a counter after a call is counted, including that call. */
export type Usage = { key: string; windowMs: number; used: number };

/**
 * One counted call. Its cost becomes 0 when it is released or its window has ended. `item` is its index in a batch, or
 * -1.
 */
export type Hit = { key: string; at: number; cost: number; windowMs: number; item: number };

type Series = { hits: Hit[]; total: number; dead: number };

/** Hits by window and key; each series is in chronological order. */
export type Windows = Map<string, Series>;

/**
 * Returns the key of a series in Windows. Two limits with the same key and different windows have separate series, so neither
 * counts the calls of the other limit.
 */
function seriesId(key: string, windowMs: number): string {
  return `${windowMs}:${key}`;
}

/**
 * Merges counters with the same key and window: adds their costs and keeps the lowest limit. A call therefore cannot
 * pass a limit by listing it twice. Omits counters without cost.
 */
export function mergeCounters(counters: readonly Counter[]): Required<Counter>[] {
  const merged = new Map<string, Required<Counter>>();
  for (const { key, limit, windowMs, cost = 1 } of counters) {
    if (cost <= 0) continue;
    const id = seriesId(key, windowMs);
    const counter = merged.get(id);
    if (counter === undefined) merged.set(id, { key, limit, windowMs, cost });
    else merged.set(id, { ...counter, limit: Math.min(counter.limit, limit), cost: counter.cost + cost });
  }
  return [...merged.values()];
}

/** Returns the refusal when a (merged) counter has no room at `now`; null when all have room. Counts nothing. */
export function findRefusal(windows: Windows, counters: readonly Required<Counter>[], now: number): Refusal | null {
  let first: Required<Counter> | undefined;
  let retryAfterMs = 0;
  const refusedKeys: string[] = [];
  for (const counter of counters) {
    const wait = millisecondsUntilFit(windows, counter, now);
    if (wait === 0) continue;
    first ??= counter;
    retryAfterMs = Math.max(retryAfterMs, wait);
    refusedKeys.push(counter.key);
  }
  if (first === undefined) return null;
  return { ok: false, key: first.key, limit: first.limit, windowMs: first.windowMs, retryAfterMs, refusedKeys };
}

/**
 * Returns the milliseconds until the counter has room; 0 means now. A cost above the limit never fits and returns the
 * length of the window.
 */
function millisecondsUntilFit(
  windows: Windows,
  { key, limit, windowMs, cost }: Required<Counter>,
  now: number,
): number {
  if (cost > limit) return windowMs;
  const series = windows.get(seriesId(key, windowMs));
  if (series === undefined) return 0;
  dropEnded(series, windowMs, now);
  let excess = series.total + cost - limit;
  if (excess <= 0) return 0;
  for (const hit of series.hits) {
    excess -= hit.cost;
    if (excess <= 0) return Math.max(1, hit.at + windowMs - now);
  }
  return windowMs;
}

/** Counts a call on all (merged) counters and returns the hits. */
export function addHits(windows: Windows, counters: readonly Required<Counter>[], now: number, item: number): Hit[] {
  return counters.map(({ key, windowMs, cost }) => {
    const hit = { key, at: now, cost, windowMs, item };
    addHit(windows, hit);
    return hit;
  });
}

/** Returns the units of the (merged) counters at `now`. */
export function readUsage(windows: Windows, counters: readonly Required<Counter>[], now: number): Usage[] {
  return counters.map(({ key, windowMs }) => {
    const series = windows.get(seriesId(key, windowMs));
    if (series !== undefined) dropEnded(series, windowMs, now);
    return { key, windowMs, used: series?.total ?? 0 };
  });
}

/** Adds one hit to its series. */
export function addHit(windows: Windows, hit: Hit): void {
  const id = seriesId(hit.key, hit.windowMs);
  const series = windows.get(id) ?? { hits: [], total: 0, dead: 0 };
  windows.set(id, series);
  series.hits.push(hit);
  series.total += hit.cost;
}

/** Releases one hit. Repeating it does nothing. */
export function removeHit(windows: Windows, hit: Hit): void {
  const series = windows.get(seriesId(hit.key, hit.windowMs));
  if (series === undefined || hit.cost === 0) return;
  series.total -= hit.cost;
  hit.cost = 0;
  series.dead += 1;
  // Released hits stay in the list until they are more than half of it, which keeps releasing cheap.
  if (series.dead * 2 > series.hits.length) {
    series.hits = series.hits.filter(({ cost }) => cost > 0);
    series.dead = 0;
    if (series.hits.length === 0) windows.delete(seriesId(hit.key, hit.windowMs));
  }
}

/** Drops the ended hits of every series that contains one of these hits. */
export function dropHits(windows: Windows, hits: readonly Hit[], now: number): void {
  for (const { key, windowMs } of hits) {
    const id = seriesId(key, windowMs);
    const series = windows.get(id);
    if (series === undefined) continue;
    dropEnded(series, windowMs, now);
    if (series.hits.length === 0) windows.delete(id);
  }
}

/** Drops every hit whose window has ended. */
export function dropAllEnded(windows: Windows, now: number): void {
  for (const [id, series] of windows) {
    dropEnded(series, series.hits[0]?.windowMs ?? 0, now);
    if (series.hits.length === 0) windows.delete(id);
  }
}

function dropEnded(series: Series, windowMs: number, now: number): void {
  let ended = 0;
  for (const hit of series.hits) {
    if (hit.at + windowMs > now) break;
    series.total -= hit.cost;
    if (hit.cost === 0) series.dead -= 1;
    // The total no longer includes an ended hit, so a later release must not subtract it again.
    hit.cost = 0;
    ended += 1;
  }
  if (ended > 0) series.hits.splice(0, ended);
}
