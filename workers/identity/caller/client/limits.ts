import { clientIpKey } from "../../../kit/limits/client-ip";
import { toCounters, toRetryAfterSeconds } from "../../../kit/limits/limiter";
import type { Rate } from "../../../kit/settings/setting-types";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { hashIp } from "./client-context";

/** 429 `rate_limited` with the real wait. */
export function rateLimited(refusal: { retryAfterMs: number }): Problem {
  return new Problem("rate_limited", { headers: { "retry-after": String(toRetryAfterSeconds(refusal)) } });
}

/** Counts the call on its client address, whose hash is what the limiter keeps: one counter per kind of endpoint. */
export async function limitByIp(services: IdentityServices, request: Request, kind: string, rate: Rate | null) {
  const counters = toCounters(kind, rate);
  if (counters.length === 0) return;
  const name = `ip:${await hashIp(services, clientIpKey(request))}`;
  const decision = await services.limiter.reserve(name, counters);
  if (!decision.ok) throw rateLimited(decision);
}

/**
 * Begins `work` while the limit of the client address is asked, and answers its result. A refusal of the limit comes before
 * anything that the work throws; so the work may read and judge, but neither write nor count.
 */
export async function runConcurrentlyWithLimit<T>(limit: Promise<void>, work: () => Promise<T>): Promise<T> {
  const result = work();
  // What the work throws is thrown behind the limit, or not at all.
  result.catch(() => undefined);
  await limit;
  return result;
}
