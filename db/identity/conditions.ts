import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { isAllowed } from "./membership";
import { companies, memberships, oauth_redirects, users } from "./schema";

// Conditions that several statements check again while they write. They refer to the tables by name, so a surrounding
// statement must alias a table of the same name.

/** Whether the account is active. */
export function isUserActive(userId: SQLWrapper): SQL {
  return sql`exists (select 1 from ${users} where ${users.id} = ${userId} and ${users.is_active} = 1)`;
}

/** Whether the company is active. */
export function isCompanyActive(companyId: SQLWrapper): SQL {
  return sql`exists (select 1 from ${companies} where ${companies.id} = ${companyId} and ${companies.is_active} = 1)`;
}

/** Whether the user is an allowed member of the company. */
export function isAllowedMember(companyId: SQLWrapper, userId: SQLWrapper): SQL {
  return sql`exists (select 1 from ${memberships} where ${memberships.company_id} = ${companyId}
    and ${memberships.user_id} = ${userId} and ${isAllowed()})`;
}

/** Whether the origin is an active one of the company's redirect allowlist. */
export function isListedOrigin(companyId: SQLWrapper, origin: SQLWrapper): SQL {
  return sql`exists (select 1 from ${oauth_redirects} where ${oauth_redirects.company_id} = ${companyId}
    and ${oauth_redirects.base_url} = ${origin} and ${oauth_redirects.is_active} = 1)`;
}
