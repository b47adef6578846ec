import { and, asc, eq, isNull, notLike } from "drizzle-orm";
import { event_log } from "../../../db/identity/schema";
import { readRows, storeMembership } from "./rows";

/** Where the members of a company are administered. */
export const usersPath = "/api/v1/users";

/** The events of a member in a company, besides those of signing in. */
export const memberEvents = (company: number, user: number) =>
  readRows(
    event_log,
    and(
      ...[eq(event_log.company_id, company), eq(event_log.user_id, user), isNull(event_log.outcome)],
      notLike(event_log.event_type, "identity.auth.%"),
    ),
    asc(event_log.id),
  );

/** Makes a user a member of another company too. */
export async function addMembership(company: number, user: number, more: { owner?: boolean } = {}): Promise<void> {
  await storeMembership(company, user, { is_owner: more.owner ?? false, created_at: 5 });
}
