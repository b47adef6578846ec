import { randomUUID } from "node:crypto";
import type { KillablePlatform } from "../support/platform/killable-platform";

/** Times of acceptance (ms since the epoch): sign-in links by address, and events by id. */
export type Accepted = { links: Map<string, number>; events: Map<string, number> };

/** Interval between calls in ms. At most `AT_ONCE` calls of each kind run in parallel. */
const EVERY_MS = { links: 150, events: 120 };
const AT_ONCE = 8;
const EVENTS_AT_ONCE = 2;

/**
 * Requests links and emits events until `stop`, even while the platform is down. A failed link request is not repeated.
 * Events are repeated with the same ids until they are stored. `stop` resolves when all calls have ended.
 */
export function startLoad(
  platform: KillablePlatform,
  { companies, type, maxLinks }: { companies: readonly number[]; type: string; maxLinks: number },
): { accepted: Accepted; refusals: Map<string, number>; stop: () => Promise<void> } {
  const accepted: Accepted = { links: new Map(), events: new Map() };
  const refusals = new Map<string, number>();
  const open = new Set<Promise<void>>();
  const refuse = (text: string) => refusals.set(text, (refusals.get(text) ?? 0) + 1);
  let isStopped = false;
  let requestCount = 0;

  const requestLink = async () => {
    requestCount += 1;
    const email = `soak-${requestCount}-${randomUUID().slice(0, 8)}@example.com`;
    const answer = await fetch(`${platform.url}/identity/api/v1/magic-link/request`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ company_id: 1, email, redirect_to: `${platform.origin}/` }),
      signal: AbortSignal.timeout(10_000),
    });
    const text = await answer.text();
    if (answer.ok) accepted.links.set(email, Date.now());
    else refuse(`${answer.status} ${text.slice(0, 100)}`);
  };

  const writeEvents = async () => {
    const company_id = companies[Math.floor(Math.random() * companies.length)] ?? 0;
    const ids = Array.from({ length: EVENTS_AT_ONCE }, () => randomUUID());
    while (!isStopped) {
      try {
        await platform.emit({ company_id, type, ids });
        for (const id of ids) accepted.events.set(id, Date.now());
        return;
      } catch {
        // The platform is down. Repeating the call is safe even if the events were stored, because the ids are the
        // same.
        await new Promise((wait) => setTimeout(wait, 300));
      }
    }
  };

  const repeat = (everyMs: number, call: () => Promise<void>, isEnabled: () => boolean) => {
    const pendingCalls = new Set<Promise<void>>();
    return setInterval(() => {
      if (pendingCalls.size >= AT_ONCE || !isEnabled()) return;
      const running = call()
        .catch(() => {})
        .finally(() => {
          pendingCalls.delete(running);
          open.delete(running);
        });
      pendingCalls.add(running);
      open.add(running);
    }, everyMs);
  };
  const timers = [
    repeat(EVERY_MS.links, requestLink, () => accepted.links.size < maxLinks),
    repeat(EVERY_MS.events, writeEvents, () => true),
  ];

  return {
    accepted,
    refusals,
    async stop() {
      for (const timer of timers) clearInterval(timer);
      isStopped = true;
      await Promise.all(open);
    },
  };
}
