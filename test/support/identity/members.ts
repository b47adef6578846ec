import { rows } from "./identity";

/** Where the members of a company are administered. */
export const usersPath = "/api/v1/users";

/** The events of a member in a company, besides those of signing in. */
export const memberEvents = (company: number, user: number) =>
  rows<{ event_type: string; data: string; actor: string }>(
    `SELECT event_type, data, actor FROM event_log WHERE company_id = ? AND user_id = ? AND outcome IS NULL
       AND event_type NOT LIKE 'identity.auth.%' ORDER BY id`,
    company,
    user,
  );

/** Makes a user a member of another company too. */
export async function addMembership(company: number, user: number, more: { owner?: boolean } = {}): Promise<void> {
  await rows(
    `INSERT INTO memberships (company_id, user_id, state, state_reason, state_at, is_owner, created_at)
     VALUES (?, ?, 'allowed', 'join_rule', 1, ?, 5)`,
    company,
    user,
    more.owner ? 1 : 0,
  );
}
