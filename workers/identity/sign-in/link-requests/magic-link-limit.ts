import { toCounters } from "../../../kit/limits/limiter";
import { rateLimited } from "../../caller/client/limits";
import type { IdentityServices } from "../../services";

/**
 * Applies the rate limits of a link request: per address across all companies, per address in this company, and per company.
 * Calls both limiter objects in parallel. When only one of them rejects, releases the reservation at the other. Throws 429
 * `rate_limited` with the longer wait.
 */
export async function limitLinkRequest(services: IdentityServices, companyId: number, addressKey: string) {
  const { company, address, inCompany, overall } = await reserve(services, companyId, addressKey);
  if (inCompany.ok && overall.ok) return;
  if (inCompany.ok) services.waitUntil(services.limiter.release(company, inCompany.reservation));
  if (overall.ok) services.waitUntil(services.limiter.release(address, overall.reservation));
  if (!inCompany.ok && inCompany.key === "magic-link") {
    services.log.warn("magic-link limit of a company reached", { company_id: companyId });
  }
  const waits = [inCompany, overall].flatMap((decision) => (decision.ok ? [] : [decision.retryAfterMs]));
  throw rateLimited({ retryAfterMs: Math.max(...waits) });
}

/** Returns whether a limit would reject a link request of the address now. The check counts a request and releases it again. */
export async function findLinkLimit(services: IdentityServices, companyId: number, addressKey: string) {
  const { company, address, inCompany, overall } = await reserve(services, companyId, addressKey);
  await Promise.all([
    inCompany.ok ? services.limiter.release(company, inCompany.reservation) : null,
    overall.ok ? services.limiter.release(address, overall.reservation) : null,
  ]);
  return !inCompany.ok || !overall.ok;
}

/** Counts a link request at both limiter objects in parallel. */
async function reserve({ settings, limiter }: IdentityServices, companyId: number, addressKey: string) {
  const { rates } = settings;
  const company = `company:${companyId}`;
  const address = `address:${addressKey}`;
  const [inCompany, overall] = await Promise.all([
    limiter.reserve(company, [
      ...toCounters(`magic-link:${addressKey}`, rates.magicLinkUser),
      ...toCounters("magic-link", rates.magicLinkCompany),
    ]),
    limiter.reserve(address, toCounters("magic-link", rates.magicLinkEmail)),
  ]);
  return { company, address, inCompany, overall };
}
