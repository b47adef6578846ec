import type { Bound } from "../../kit/db/statement";
import { SECOND_MS } from "../../kit/time";
import type { HostingServices } from "../services";
import type { AppHost } from "./host";
import { findDeploymentByAddress, findLive, findLiveOfHostname, type LiveRow } from "./live.store";

/** A deployment that a host serves. */
export type LiveDeployment = LiveRow;

/** How long an isolate serves what a lookup returned. A deployment or rollback is visible everywhere after this time. */
export const LOOKUP_MS = 5 * SECOND_MS;
const MAX_CACHED = 1000;

type Entry = { row: LiveRow | null; readAt: number };

/** Lookups of this isolate by host. Unknown hosts have their own map, so that they cannot evict those that exist. */
const found = new Map<string, Entry>();
const unknown = new Map<string, Entry>();
let generation = 0;

/** Forgets all lookups of this isolate. Call it after a change of what is live. */
export function forgetLookups(): void {
  generation += 1;
  found.clear();
  unknown.clear();
}

/**
 * Returns what a host serves, or null for a host without an app. Reads D1 once for each host and isolate in five seconds, whether or
 * not the host has an app.
 */
export async function lookUp(services: HostingServices, host: AppHost): Promise<LiveRow | null> {
  const now = services.clock.now();
  const row = await readThroughCache(services, host, now);
  return row === null || (row.expires_at !== null && row.expires_at <= now) ? null : row;
}

async function readThroughCache(services: HostingServices, host: AppHost, now: number): Promise<LiveRow | null> {
  const key = Object.values(host).join(" ");
  const cached = found.get(key) ?? unknown.get(key);
  if (cached !== undefined && now - cached.readAt < LOOKUP_MS && now >= cached.readAt) return cached.row;
  const startedIn = generation;
  const row = await services.platformDb.first(statementFor(host, now - services.settings.apps.skewMs));
  // The row may be older than a change that this isolate made in the meantime.
  if (startedIn === generation) {
    found.delete(key);
    unknown.delete(key);
    store(row === null ? unknown : found, key, { row, readAt: now });
  }
  return row;
}

function statementFor(host: AppHost, since: number): Bound<LiveRow> {
  if (host.kind === "custom") return findLiveOfHostname({ hostname: host.hostname, since });
  const { slug } = host;
  return host.kind === "app" ? findLive({ slug, since }) : findDeploymentByAddress({ slug, address: host.address });
}

/** Stores an entry and removes the oldest one of a full map. */
function store(cache: Map<string, Entry>, key: string, entry: Entry): void {
  const oldest = cache.keys().next();
  if (cache.size >= MAX_CACHED && !oldest.done) cache.delete(oldest.value);
  cache.set(key, entry);
}
