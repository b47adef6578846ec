import type { UserActor } from "../webhooks/events/event-actor";
import { type AuthorizedMember, authorizeMember, type CallerServices, withLiveCheck } from "./caller";

/** The calling member and their company. */
export type Member = {
  companyId: number;
  user: UserActor;
  /**
   * Awaits the first read together with the live check of the token. A rejection by this check takes precedence over an error
   * of the read. Call it before any write.
   */
  firstRead: <T>(read: Promise<T>) => Promise<T>;
};

const toMember = (authorized: AuthorizedMember): Member => {
  const { companyId, userId, email, kind } = authorized.caller;
  return { companyId, user: { userId, email, kind }, firstRead: (read) => withLiveCheck(authorized, read) };
};

/**
 * Runs `work` for a member of the token's company, for routes whose body is not JSON. Throws 401, 403 or 503. If `work` fails
 * before its first read, a member whose access has ended still gets the rejection of the live check.
 */
export async function asMember<T>(
  services: Omit<CallerServices, "limiter">,
  request: Request,
  work: (member: Member) => Promise<T>,
): Promise<T> {
  const authorized = await authorizeMember(request, services);
  const working = work(toMember(authorized));
  return withLiveCheck(authorized, working);
}
