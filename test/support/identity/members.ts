import { and, asc, eq, isNull, notLike } from "drizzle-orm";
import { event_log } from "../../../db/identity/schema";
import { readRows, storeMembership } from "./rows";

/** The path of the members of a company. */
export const usersPath = "/api/v1/users";

/** Returns the events about a member of a company, except sign-in events. */
export const memberEvents = (company: number, user: number) =>
  readRows(
    event_log,
    and(
      ...[eq(event_log.company_id, company), eq(event_log.user_id, user), isNull(event_log.outcome)],
      notLike(event_log.event_type, "identity.auth.%"),
    ),
    asc(event_log.id),
  );

/** Adds a user to another company. */
export async function addMembership(company: number, user: number, options: { owner?: boolean } = {}): Promise<void> {
  await storeMembership(company, user, { is_owner: options.owner ?? false, created_at: 5 });
}
