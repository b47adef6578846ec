import { and, eq, ne, type SQLWrapper, sql } from "drizzle-orm";
import { personColumns as columns } from "../../../db/identity/person";
import { companies, memberships, oauth_redirects, preferences, users } from "../../../db/identity/schema";
import { all, q, rows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

export type { PersonRow } from "../../../db/identity/person";
export type { CompanyRow, UserRow } from "../../../db/identity/schema";

/** As SQL text, for statements that are not built yet: goes with the last of them. */
export const personColumns = `u.id, u.email, u.email_verified_at, u.username, u.first_name, u.last_name, u.avatar_url,
  u.metadata, u.is_active, u.is_staff, u.created_at, u.updated_at, m.state, m.state_reason, m.state_at, m.is_owner,
  m.profile, m.last_seen_at, p.theme_name, p.language, p.region, p.color_scheme`;

/** The company. */
export const findCompany = statement({ companyId: companies.id }, (p) =>
  q.select(all(companies)).from(companies).where(eq(companies.id, p.companyId)),
);

const person = (companyId: SQLWrapper) =>
  q
    .select(columns)
    .from(users)
    .leftJoin(memberships, and(eq(memberships.company_id, companyId), eq(memberships.user_id, users.id)))
    .leftJoin(preferences, eq(preferences.user_id, users.id));

/** The person with that address, with their membership of the company when there is one. */
export const findPersonByEmail = statement({ companyId: companies.id, email: users.email }, (p) =>
  person(p.companyId).where(eq(users.email, p.email)),
);

/** The person as that company sees them. */
export const findPerson = statement({ companyId: companies.id, userId: users.id }, (p) =>
  person(p.companyId).where(eq(users.id, p.userId)),
);

/** The company's magic-link flag; nothing when it says so already. */
export const setMagicLink = statement(
  { companyId: companies.id, isEnabled: companies.enable_magic_link, now: companies.updated_at },
  (p) =>
    q
      .update(companies)
      .set({ enable_magic_link: p.isEnabled, updated_at: p.now })
      .where(and(eq(companies.id, p.companyId), ne(companies.enable_magic_link, p.isEnabled))),
);

/** The oldest active origin of the allowlist. */
export const findOldestOrigin = statement({ companyId: companies.id }, (p) =>
  rows(
    { base_url: oauth_redirects.base_url },
    (selected) => sql`select ${selected} from ${oauth_redirects} indexed by oauth_redirects_oldest
      where ${oauth_redirects.company_id} = ${p.companyId} and ${oauth_redirects.is_active} = 1
      order by ${oauth_redirects.created_at}, ${oauth_redirects.id} limit 1`,
  ),
);
