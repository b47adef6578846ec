import type { IdentityRpcMethods } from "../../../schemas/rpc";
import type { Clock } from "../clock";
import { errorName, type Log } from "../log";
import { Problem } from "../problem";
import { MINUTE_MS } from "../time";
import { withTimeout } from "../timeout";

const TIMEOUT_MS = 5000;
const MAX_CACHED = 10_000;

/**
 * Responses of identity by `company:user`, with the time of the request (unix ms), cached for the life of the isolate.
 */
const cache = new Map<string, { isActive: boolean; requestedAt: number }>();

type MembershipServices = { identity: { rpc: Pick<IdentityRpcMethods, "memberships"> }; clock: Clock; log: Log };

/**
 * Returns whether a user may act in a company, from identity's RPC `memberships`, cached in the isolate for 60 s.
 * Throws 503 when identity does not respond.
 */
export async function isActiveMember(
  { identity, clock, log }: MembershipServices,
  member: { companyId: number; userId: number },
): Promise<boolean> {
  const { companyId, userId } = member;
  const key = `${companyId}:${userId}`;
  const now = clock.now();
  const cached = cache.get(key);
  if (cached !== undefined && now < cached.requestedAt + MINUTE_MS && now >= cached.requestedAt) return cached.isActive;
  const isActive = await requestMembership();
  // Clearing a full cache only causes additional requests.
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(key, { isActive, requestedAt: now });
  return isActive;

  async function requestMembership(): Promise<boolean> {
    try {
      const response = identity.rpc.memberships({ company_id: companyId, user_ids: [userId] });
      return (await withTimeout(response, TIMEOUT_MS)).active_user_ids.includes(userId);
    } catch (cause) {
      log.warn("membership check failed", { cause: errorName(cause) });
      throw new Problem("service_unavailable", { cause });
    }
  }
}
