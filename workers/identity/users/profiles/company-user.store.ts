import { and, eq, type SQLWrapper } from "drizzle-orm";
import { companyUserColumns } from "../../../../db/identity/company-user";
import { companies, memberships, preferences, users } from "../../../../db/identity/schema";
import { queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const user = (companyId: SQLWrapper) =>
  queryBuilder
    .select(companyUserColumns)
    .from(users)
    .leftJoin(memberships, and(eq(memberships.company_id, companyId), eq(memberships.user_id, users.id)))
    .leftJoin(preferences, eq(preferences.user_id, users.id));

/** The user with that address, with their membership of the company when there is one. */
export const findCompanyUserByEmail = statement({ companyId: companies.id, email: users.email }, (p) =>
  user(p.companyId).where(eq(users.email, p.email)),
);

/** The user as that company sees them. */
export const findCompanyUser = statement({ companyId: companies.id, userId: users.id }, (p) =>
  user(p.companyId).where(eq(users.id, p.userId)),
);
