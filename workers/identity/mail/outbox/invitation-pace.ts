import { toCounters } from "../../../kit/limits/limiter";
import type { IdentityServices } from "../../services";

/**
 * Returns the rate limit of a company's invitation mails, or null when it is off. Invitation mails and sign-in mails share the
 * limit that the email service sets on the auth lane. A company may send a third as many invitation mails as sign-in links, so
 * that invitations leave room for sign-in mails.
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
