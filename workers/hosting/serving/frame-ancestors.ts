import { errorName } from "../../kit/log";
import { MINUTE_MS, SECOND_MS } from "../../kit/time";
import { withTimeout } from "../../kit/timeout";
import type { HostingServices } from "../services";

const TIMEOUT_MS = 2000;
const RETRY_MS = 10 * SECOND_MS;
const MAX_CACHED = 1000;
/** Browsers and proxies accept this much in one header. */
const MAX_POLICY = 8192;

/** Policies of this isolate by company, with the time when identity is asked again (unix ms). */
const cache = new Map<number, { policy: string; dueAt: number }>();

/**
 * Returns the policy that lets the app itself and the active origins of the company's redirect allowlist frame a page, cached for 60 s.
 * When identity does not respond, the last known origins apply, or none besides the app itself.
 */
export async function frameAncestorsOf(services: HostingServices, companyId: number): Promise<string> {
  const { clock, identity, log } = services;
  const cached = cache.get(companyId);
  if (cached !== undefined && clock.now() < cached.dueAt) return cached.policy;
  let [policy, lifeMs] = [cached?.policy ?? policyOf([]), RETRY_MS];
  try {
    const { origins } = await withTimeout(identity.rpc.redirectOrigins({ company_id: companyId }), TIMEOUT_MS);
    [policy, lifeMs] = [policyOf(origins), MINUTE_MS];
  } catch (error) {
    log.warn("redirect origins not read", { cause: errorName(error) });
  }
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(companyId, { policy, dueAt: clock.now() + lifeMs });
  return policy;
}

function policyOf(origins: readonly string[]): string {
  let policy = "frame-ancestors 'self'";
  // A semicolon, comma or space would begin another directive, policy or source.
  for (const origin of origins.filter((text) => /^https?:\/\/[^\s;,']+$/u.test(text))) {
    if (policy.length + origin.length < MAX_POLICY) policy += ` ${origin}`;
  }
  return policy;
}
