import { and, desc, eq, gt, lt, or, sql } from "drizzle-orm";
import { ownsCompany } from "../../../db/identity/membership";
import { type CompanyRow, companies, counters, memberships } from "../../../db/identity/schema";
import { integer, json, nullable } from "../../kit/db/kind";
import { all, indexedBy, q } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

/** A company with the ids of its owners in ascending order. */
export type OwnedCompanyRow = CompanyRow & { owners: number[] };

/** Columns of an OwnedCompanyRow, of `companies`. */
export const ownedCompanyColumns = {
  ...all(companies),
  owners:
    sql`(select json_group_array(o.user_id) from (select ${memberships.user_id} from ${indexedBy(memberships, "memberships_owners")}
    where ${memberships.company_id} = ${companies.id} and ${ownsCompany(memberships)} order by ${memberships.user_id}) o)`.mapWith(
      json<number[]>(),
    ),
};

/** The company. */
export const findCompany = statement({ companyId: companies.id }, (p) =>
  q.select(all(companies)).from(companies).where(eq(companies.id, p.companyId)),
);

/** The company with its owners. */
export const findOwnedCompany = statement({ companyId: companies.id }, (p) =>
  q.select(ownedCompanyColumns).from(companies).where(eq(companies.id, p.companyId)),
);

/** All companies, newest first, below that id. */
export const listCompanies = statement({ before: companies.id, limit: integer, offset: integer }, (p) =>
  q
    .select(ownedCompanyColumns)
    .from(companies)
    .where(and(gt(companies.id, 0), lt(companies.id, p.before)))
    .orderBy(desc(companies.id))
    .limit(p.limit)
    .offset(p.offset),
);

/** How many companies there are; kept by the triggers of the migration `company_count`. */
export const countCompanies = statement({}, () =>
  q
    .select({ count: sql`${counters.value}`.mapWith(integer) })
    .from(counters)
    .where(and(eq(counters.company_id, 0), eq(counters.name, "companies"), eq(counters.label, ""))),
);

/** The company's flags of sign-in, those that are not null; nothing when they say so already. */
export const setSignInFlags = statement(
  {
    companyId: companies.id,
    isMagicLink: nullable(companies.enable_magic_link),
    isNotified: nullable(companies.notify_new_device),
    now: companies.updated_at,
  },
  (p) =>
    q
      .update(companies)
      .set({
        enable_magic_link: sql`coalesce(${p.isMagicLink}, ${companies.enable_magic_link})`,
        notify_new_device: sql`coalesce(${p.isNotified}, ${companies.notify_new_device})`,
        updated_at: p.now,
      })
      .where(
        and(
          eq(companies.id, p.companyId),
          or(
            sql`coalesce(${p.isMagicLink} <> ${companies.enable_magic_link}, 0)`,
            sql`coalesce(${p.isNotified} <> ${companies.notify_new_device}, 0)`,
          ),
        ),
      ),
);
