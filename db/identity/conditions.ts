import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { isAllowed } from "./membership";
import { companies, memberships, oauth_redirects, users } from "./schema";

// Conditions that several statements ask again while they write. They read the tables by their own names, so the statement
// around them gives a table of the same name an alias.

/** Whether the account may be used at all. */
export function isUserActive(userId: SQLWrapper): SQL {
  return sql`exists (select 1 from ${users} where ${users.id} = ${userId} and ${users.is_active} = 1)`;
}

/** Whether the company may be used at all. */
export function isCompanyActive(companyId: SQLWrapper): SQL {
  return sql`exists (select 1 from ${companies} where ${companies.id} = ${companyId} and ${companies.is_active} = 1)`;
}

/** Whether the person is let into the company. */
export function isAllowedMember(companyId: SQLWrapper, userId: SQLWrapper): SQL {
  return sql`exists (select 1 from ${memberships} where ${memberships.company_id} = ${companyId}
    and ${memberships.user_id} = ${userId} and ${isAllowed()})`;
}

/** Whether the origin is an active one of the company's redirect allowlist. */
export function isListedOrigin(companyId: SQLWrapper, origin: SQLWrapper): SQL {
  return sql`exists (select 1 from ${oauth_redirects} where ${oauth_redirects.company_id} = ${companyId}
    and ${oauth_redirects.base_url} = ${origin} and ${oauth_redirects.is_active} = 1)`;
}
