import { toCounters } from "../../../kit/limits/limiter";
import type { IdentityServices } from "../../services";

/**
 * Returns the limit of invitation mails of a company: a third of its limit of sign-in links, which equals email's limit of the
 * auth lane, so that invitations leave room for sign-in mails. Null when there is no limit.
 */
export function invitationPace({ settings }: Pick<IdentityServices, "settings">) {
  const rate = settings.rates.magicLinkCompany;
  return rate && { ...rate, limit: Math.max(1, Math.floor(rate.limit / 3)) };
}

/** Counts an invitation mail of a company. Returns 0 when it may be sent, otherwise the wait (ms). */
export async function reserveInvitationMail(services: IdentityServices, companyId: number): Promise<number> {
  const counters = toCounters("invitation-mail", invitationPace(services));
  const decision = await services.limiter.reserve(`company:${companyId}`, counters);
  return decision.ok ? 0 : decision.retryAfterMs;
}
