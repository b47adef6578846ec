import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { companies, memberships, oauth_redirects, users } from "../schema";
import { isAllowed } from "./membership";

// Conditions that several statements check again when they write. They refer to the tables by name, so a statement that
// itself uses one of these tables must alias it.

/** Returns the condition that the account is active. */
export function isUserActive(userId: SQLWrapper): SQL {
  return sql`exists (select 1 from ${users} where ${users.id} = ${userId} and ${users.is_active} = 1)`;
}

/** Returns the condition that the company is active. */
export function isCompanyActive(companyId: SQLWrapper): SQL {
  return sql`exists (select 1 from ${companies} where ${companies.id} = ${companyId} and ${companies.is_active} = 1)`;
}

/** Returns the condition that the user is an allowed member of the company. */
export function isAllowedMember(companyId: SQLWrapper, userId: SQLWrapper): SQL {
  return sql`exists (select 1 from ${memberships} where ${memberships.company_id} = ${companyId}
    and ${memberships.user_id} = ${userId} and ${isAllowed()})`;
}

/** Returns the condition that the origin is an active entry of the company's redirect allowlist. */
export function isListedOrigin(companyId: SQLWrapper, origin: SQLWrapper): SQL {
  return sql`exists (select 1 from ${oauth_redirects} where ${oauth_redirects.company_id} = ${companyId}
    and ${oauth_redirects.base_url} = ${origin} and ${oauth_redirects.is_active} = 1)`;
}
