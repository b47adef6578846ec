import type { companies, memberships, preferences, users } from "../../../db/identity/schema";
import { sql } from "../../kit/db";

export type CompanyRow = typeof companies.$inferSelect;
export type UserRow = typeof users.$inferSelect;

type MembershipRow = typeof memberships.$inferSelect;
type PreferenceRow = typeof preferences.$inferSelect;

/** A user as one company sees them: membership and preferences are null when there is no row. */
export type PersonRow = UserRow & {
  state: MembershipRow["state"] | null;
  state_reason: MembershipRow["state_reason"] | null;
  state_at: number | null;
  is_owner: number | null;
  profile: string | null;
  last_seen_at: number | null;
  theme_name: PreferenceRow["theme_name"] | null;
  language: PreferenceRow["language"] | null;
  region: PreferenceRow["region"] | null;
  color_scheme: PreferenceRow["color_scheme"] | null;
};

/** Columns of a PersonRow for a query over `users u LEFT JOIN memberships m LEFT JOIN preferences p`. */
export const personColumns = `u.id, u.email, u.email_verified_at, u.username, u.first_name, u.last_name, u.avatar_url,
  u.metadata, u.is_active, u.is_staff, u.created_at, u.updated_at, m.state, m.state_reason, m.state_at, m.is_owner,
  m.profile, m.last_seen_at, p.theme_name, p.language, p.region, p.color_scheme`;

/** (company id): the company. */
export const findCompany = sql("SELECT * FROM companies WHERE id = ?1");

/** (company id, email): the person with that address, with their membership of the company when there is one. */
export const findPersonByEmail = sql(
  `SELECT ${personColumns} FROM users u
   LEFT JOIN memberships m ON m.company_id = ?1 AND m.user_id = u.id
   LEFT JOIN preferences p ON p.user_id = u.id WHERE u.email = ?2`,
);

/** (company id, user id): the person as that company sees them. */
export const findPerson = sql(
  `SELECT ${personColumns} FROM users u
   LEFT JOIN memberships m ON m.company_id = ?1 AND m.user_id = u.id
   LEFT JOIN preferences p ON p.user_id = u.id WHERE u.id = ?2`,
);

/** (company id): addresses of the active owners, at most 50. */
export const findOwners = sql(
  `SELECT u.id, u.email FROM memberships m JOIN users u ON u.id = m.user_id AND u.is_active = 1
   WHERE m.company_id = ?1 AND m.is_owner = 1 AND m.state = 'allowed' LIMIT 50`,
);

/** (company id): addresses of the active staff members, at most 50; they stand in for owners where there is none. */
export const findStaffMembers = sql(
  `SELECT u.id, u.email FROM users u INDEXED BY users_staff
   JOIN memberships m ON m.company_id = ?1 AND m.user_id = u.id AND m.state = 'allowed'
   WHERE u.is_staff = 1 AND u.is_active = 1 LIMIT 50`,
);

/** (company id, enabled 0/1, now): the company's magic-link flag; nothing when it says so already. */
export const setMagicLink = sql(
  "UPDATE companies SET enable_magic_link = ?2, updated_at = ?3 WHERE id = ?1 AND enable_magic_link <> ?2",
);

/** (company id, origin): 1 when the origin is an active row of the company's redirect allowlist. */
export const findRedirectOrigin = sql(
  "SELECT 1 AS found FROM oauth_redirects WHERE company_id = ?1 AND base_url = ?2 AND is_active = 1",
);

/** (company id): the oldest active origin of the allowlist. */
export const findOldestOrigin = sql(
  `SELECT base_url FROM oauth_redirects INDEXED BY oauth_redirects_oldest
   WHERE company_id = ?1 AND is_active = 1 ORDER BY created_at, id LIMIT 1`,
);
