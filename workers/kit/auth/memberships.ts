import type { IdentityRpcMethods } from "../../../schemas/rpc";
import type { Clock } from "../clock";
import { errorName, type Log } from "../log";
import { Problem } from "../problem";
import { MINUTE_MS } from "../time";
import { withTimeout } from "../timeout";

const TIMEOUT_MS = 5000;
const MAX_KEPT = 10_000;

/**
 * Cached responses of identity by `company:user`, with the time of the request (unix ms). They outlive requests, like
 * the isolate.
 */
const kept = new Map<string, { isActive: boolean; askedAt: number }>();

type Asking = { identity: { rpc: Pick<IdentityRpcMethods, "memberships"> }; clock: Clock; log: Log };

/**
 * Returns whether a user may act in a company, from identity's RPC `memberships`, cached in the isolate for 60 s.
 * Throws 503 when identity does not respond.
 */
export async function isActiveMember(
  { identity, clock, log }: Asking,
  member: { companyId: number; userId: number },
): Promise<boolean> {
  const { companyId, userId } = member;
  const key = `${companyId}:${userId}`;
  const now = clock.now();
  const known = kept.get(key);
  if (known !== undefined && now < known.askedAt + MINUTE_MS && now >= known.askedAt) return known.isActive;
  const isActive = await ask();
  // A full cache is cleared, which only costs new requests.
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(key, { isActive, askedAt: now });
  return isActive;

  async function ask(): Promise<boolean> {
    try {
      const asked = identity.rpc.memberships({ company_id: companyId, user_ids: [userId] });
      return (await withTimeout(asked, TIMEOUT_MS)).active_user_ids.includes(userId);
    } catch (cause) {
      log.warn("membership check failed", { cause: errorName(cause) });
      throw new Problem("service_unavailable", { cause });
    }
  }
}
