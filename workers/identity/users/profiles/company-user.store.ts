import { and, eq, type SQLWrapper } from "drizzle-orm";
import { companyUserColumns } from "../../../../db/identity/conditions/company-user";
import { companies, memberships, preferences, users } from "../../../../db/identity/schema";
import { queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const user = (companyId: SQLWrapper) =>
  queryBuilder
    .select(companyUserColumns)
    .from(users)
    .leftJoin(memberships, and(eq(memberships.company_id, companyId), eq(memberships.user_id, users.id)))
    .leftJoin(preferences, eq(preferences.user_id, users.id));

/** Selects the user with this address, and their membership in the company if there is one. */
export const findCompanyUserByEmail = statement({ companyId: companies.id, email: users.email }, (p) =>
  user(p.companyId).where(eq(users.email, p.email)),
);

/** Selects a user as the company sees them. */
export const findCompanyUser = statement({ companyId: companies.id, userId: users.id }, (p) =>
  user(p.companyId).where(eq(users.id, p.userId)),
);
