import { clientIpKey } from "../../kit/limits/client-ip";
import { toCounters, toRetryAfterSeconds } from "../../kit/limits/limiter";
import type { Rate } from "../../kit/setting-types";
import { Problem } from "../problem";
import type { IdentityServices } from "../services";

/** 429 `rate_limited` with the real wait. */
export function rateLimited(refusal: { retryAfterMs: number }): Problem {
  return new Problem("rate_limited", { headers: { "retry-after": String(toRetryAfterSeconds(refusal)) } });
}

/** Counts the call on its client address: one object per IP, one counter per kind of endpoint. */
export async function limitByIp(services: IdentityServices, request: Request, kind: string, rate: Rate | null) {
  const counters = toCounters(kind, rate);
  if (counters.length === 0) return;
  const decision = await services.limiter.reserve(`ip:${clientIpKey(request)}`, counters);
  if (!decision.ok) throw rateLimited(decision);
}
