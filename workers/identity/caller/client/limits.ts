import { clientIpKey } from "../../../kit/limits/client-ip";
import { toCounters, toRetryAfterSeconds } from "../../../kit/limits/limiter";
import type { Rate } from "../../../kit/settings/setting-types";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { hashIp } from "./client-context";

/** Returns 429 `rate_limited` with the remaining wait in `Retry-After`. */
export function rateLimited(refusal: { retryAfterMs: number }): Problem {
  return new Problem("rate_limited", { headers: { "retry-after": String(toRetryAfterSeconds(refusal)) } });
}

/**
 * Counts the request against the rate limit of its hashed client address for this kind of endpoint. Throws 429
 * `rate_limited`.
 */
export async function limitByIp(services: IdentityServices, request: Request, kind: string, rate: Rate | null) {
  const counters = toCounters(kind, rate);
  if (counters.length === 0) return;
  const name = `ip:${await hashIp(services, clientIpKey(request))}`;
  const decision = await services.limiter.reserve(name, counters);
  if (!decision.ok) throw rateLimited(decision);
}

/**
 * Runs `work` while the rate limit is checked, and returns the result of `work`. A rejection by the limit takes precedence
 * over an error of `work`. Because `work` also runs for rejected requests, it may read and validate but must not write or
 * count.
 */
export async function runConcurrentlyWithLimit<T>(limit: Promise<void>, work: () => Promise<T>): Promise<T> {
  const result = work();
  // If `work` fails during the limit check, this handler keeps the runtime from reporting an unhandled rejection. `return
  // result` still throws the error.
  result.catch(() => undefined);
  await limit;
  return result;
}
