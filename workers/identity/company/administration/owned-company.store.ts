import { and, desc, eq, gt, lt, sql } from "drizzle-orm";
import { ownsCompany } from "../../../../db/identity/conditions/membership";
import { type CompanyRow, companies, counters, memberships } from "../../../../db/identity/schema";
import { integer, json } from "../../../kit/db/kind";
import { allColumns, indexedBy, queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** A company with the ids of its owners in ascending order. */
export type OwnedCompanyRow = CompanyRow & { owners: number[] };

/** The columns of an OwnedCompanyRow, for a SELECT from `companies`. */
export const ownedCompanyColumns = {
  ...allColumns(companies),
  owners:
    sql`(select json_group_array(owner.user_id) from (select ${memberships.user_id} from ${indexedBy(memberships, "memberships_owners")}
    where ${memberships.company_id} = ${companies.id} and ${ownsCompany(memberships)} order by ${memberships.user_id}) owner)`.mapWith(
      json<number[]>(),
    ),
};

/** Selects a company with its owners. */
export const findOwnedCompany = statement({ companyId: companies.id }, (p) =>
  queryBuilder.select(ownedCompanyColumns).from(companies).where(eq(companies.id, p.companyId)),
);

/** Selects the companies with an id below `before`, newest first. */
export const listCompanies = statement({ before: companies.id, limit: integer, offset: integer }, (p) =>
  queryBuilder
    .select(ownedCompanyColumns)
    .from(companies)
    .where(and(gt(companies.id, 0), lt(companies.id, p.before)))
    .orderBy(desc(companies.id))
    .limit(p.limit)
    .offset(p.offset),
);

/** Selects the number of companies, which the triggers of the migration `company_count` maintain. */
export const countCompanies = statement({}, () =>
  queryBuilder
    .select({ count: sql`${counters.value}`.mapWith(integer) })
    .from(counters)
    .where(and(eq(counters.company_id, 0), eq(counters.name, "companies"), eq(counters.label, ""))),
);
