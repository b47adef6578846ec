import { clientIpKey } from "../../kit/limits/client-ip";
import { toCounters, toRetryAfterSeconds } from "../../kit/limits/limiter";
import { Problem } from "../../kit/problem";
import type { Rate } from "../../kit/setting-types";
import type { IdentityServices } from "../services";

/** 429 `rate_limited` with the real wait. */
function refused(refusal: { retryAfterMs: number }): Problem {
  return new Problem("rate_limited", { headers: { "retry-after": String(toRetryAfterSeconds(refusal)) } });
}

/** Counts the call on its client address (details 14): one object per IP, one counter per kind of endpoint. */
export async function limitByIp(services: IdentityServices, request: Request, kind: string, rate: Rate | null) {
  const counters = toCounters(kind, rate);
  if (counters.length === 0) return;
  const decision = await services.limiter.reserve(`ip:${clientIpKey(request)}`, counters);
  if (!decision.ok) throw refused(decision);
}

/** Counts a write of personal access tokens on its user (details 14). */
export async function limitPatWrites(services: IdentityServices, userId: number): Promise<void> {
  const counters = toCounters("personal-access-tokens", services.settings.rates.pat);
  const decision = await services.limiter.reserve(`user:${userId}`, counters);
  if (!decision.ok) throw refused(decision);
}

/**
 * The counts of a link request behind its checks (details 14): address over all companies, address in this company,
 * company. Two objects are asked at once; what one reserved is given back when the other refuses.
 */
export async function limitLinkRequest(services: IdentityServices, companyId: number, addressKey: string) {
  const { rates } = services.settings;
  const company = `company:${companyId}`;
  const address = `address:${addressKey}`;
  const [inCompany, overall] = await Promise.all([
    services.limiter.reserve(company, [
      ...toCounters(`magic-link:${addressKey}`, rates.magicLink),
      ...toCounters("magic-link", rates.magicLinkCompany),
    ]),
    services.limiter.reserve(address, toCounters("magic-link", rates.magicLinkEmail)),
  ]);
  if (inCompany.ok && overall.ok) return;
  if (inCompany.ok) services.waitUntil(services.limiter.release(company, inCompany.reservation));
  if (overall.ok) services.waitUntil(services.limiter.release(address, overall.reservation));
  if (!inCompany.ok && inCompany.key === "magic-link") {
    services.log.warn("magic-link limit of a company reached", { company_id: companyId });
  }
  const waits = [inCompany, overall].flatMap((decision) => (decision.ok ? [] : [decision.retryAfterMs]));
  throw refused({ retryAfterMs: Math.max(...waits) });
}
