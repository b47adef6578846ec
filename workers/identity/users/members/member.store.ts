import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import {
  accountColumns,
  type CompanyUserRow,
  companyUserColumns,
  membershipColumns,
  preferenceColumns,
} from "../../../../db/identity/conditions/company-user";
import { user_search } from "../../../../db/identity/conditions/user-search";
import { type GroupOfMember, groupListOf } from "../../../../db/identity/groups";
import { company_totals, memberships, preferences, users } from "../../../../db/identity/schema";
import { boundedScan, type ScanInputs, scanParameters } from "../../../kit/db/bounded-scan";
import { boolean, integer, json, nullable, text } from "../../../kit/db/kind";
import { indexedBy, leftJoined, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** A member of a company; `member_since` is unix ms and `groups` lists the direct groups. */
export type MemberRow = CompanyUserRow & { member_since: number; groups: GroupOfMember[] };

const memberColumns = {
  member_since: memberships.created_at,
  groups: groupListOf(memberships.company_id, memberships.user_id).mapWith(json<GroupOfMember[]>()),
};
const columns = { ...companyUserColumns, ...memberColumns };

/** The parameters of a page of members: those of the company with a user id below `before`, newest first. */
const paged = { companyId: memberships.company_id, before: integer };

// Selects the keys of the page first and joins only these rows, so that the first page costs the same for any number of
// members.
const rowsOfPage = (page: SQL, companyId: SQLWrapper) => sql`from ${page} cross join ${users} on ${users.id} = page.key
  cross join ${memberships} on ${memberships.company_id} = ${companyId} and ${memberships.user_id} = page.key
  left join ${preferences} on ${preferences.user_id} = page.key order by page.key desc`;

const listed = {
  ...accountColumns,
  ...membershipColumns,
  ...leftJoined(preferenceColumns),
  ...memberColumns,
};

/** Selects the stored number of members. */
export const countMembers = statement({ companyId: company_totals.company_id }, (p) =>
  queryBuilder
    .select({ members: company_totals.members })
    .from(company_totals)
    .where(eq(company_totals.company_id, p.companyId)),
);

// These null columns give the rows of this list the same columns as the rows of a bounded scan.
const noEnd = {
  match_count: sql`null`.mapWith(nullable(integer)) as SQL<number | null>,
  is_limit_reached: sql`null`.mapWith(nullable(boolean)) as SQL<boolean | null>,
};

/** Selects a page of the members, newest first. */
export const listMembers = statement({ ...paged, limit: integer, offset: integer }, (p) =>
  selectRows({ ...listed, ...noEnd }, (selected) => {
    const page = sql`(select ${memberships.user_id} as key from ${memberships}
      where ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} < ${p.before}
      order by ${memberships.user_id} desc limit ${p.limit} offset ${p.offset}) page`;
    return sql`select ${selected} ${rowsOfPage(page, p.companyId)}`;
  }),
);

const searched = { ...paged, ...scanParameters, userId: nullable(integer) };
const selectScannedPage = (p: ScanInputs & { companyId: SQL }, source: Parameters<typeof boundedScan>[0]) => {
  const page = boundedScan(source, p);
  return selectRows(
    { ...listed, ...page.end },
    (selected) => sql`select ${selected} ${rowsOfPage(page.from, p.companyId)}`,
  );
};

// The rowid of the search table combines company id and user id. D1 binds numbers as floating-point values, which cannot be
// compared with a rowid, so they are cast to integers.
const keyOf = (companyId: SQLWrapper, userId: SQLWrapper) => sql`((${companyId} << 32) | ${userId})`;
const USER_BITS = 2 ** 32 - 1;

/**
 * Selects the members whose email, username or names contain the phrase (three characters or more), or whose id is `userId`.
 */
export const searchMembers = statement({ ...searched, phrase: text }, (p) => {
  const { rowid } = user_search;
  const byText = sql`select ${rowid} as place from ${user_search} where ${user_search} match ${p.phrase}
    and ${rowid} >= ${keyOf(p.companyId, sql`0`)} and ${rowid} < ${keyOf(p.companyId, sql`cast(${p.before} as integer)`)}`;
  const byId = sql`select ${keyOf(p.companyId, memberships.user_id)} as place from ${memberships}
    where ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${p.userId} and ${p.userId} < ${p.before}`;
  const range = sql`from (${byText} union ${byId} order by place desc limit ${p.scanLimit}) s`;
  return selectScannedPage(p, { key: sql`s.place & ${USER_BITS}`, matches: sql`1`, range });
});

type TextSearch = { [K in "companyId" | "before" | "userId" | "text"]: SQL } & ScanInputs;

/** Searches the members in `source` one by one. An empty text matches every member. */
const selectPageByText = (p: TextSearch, source: SQL, isListed: SQL) => {
  const holds = (value: SQLWrapper) => sql`instr(${value}, lower(${p.text})) > 0`;
  const nameOf = (key: "first_name" | "last_name") =>
    sql`coalesce(${memberships.profile} ->> ${sql.raw(`'$.${key}'`)}, ${users[key]})`;
  const matches = sql`${memberships.user_id} = ${p.userId} or ${holds(users.email)} or ${holds(sql`lower(${users.username})`)}
    or ${holds(sql`lower(${nameOf("first_name")} || ' ' || ${nameOf("last_name")})`)}`;
  const range = sql`from ${source} cross join ${users} on ${users.id} = ${memberships.user_id}
    where ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} < ${p.before} and ${isListed}
    order by ${memberships.user_id} desc`;
  return selectScannedPage(p, { key: memberships.user_id, matches, range });
};

/** Like searchMembers, for a text that is too short for the full-text search. Reads the members one by one. */
export const searchMembersByShortText = statement({ ...searched, text }, (p) =>
  selectPageByText(p, sql`${memberships}`, sql`true`),
);

/** Selects the users who ask to join the company, and match the text. */
export const searchJoinRequests = statement({ ...searched, text }, (p) =>
  selectPageByText(p, indexedBy(memberships, "memberships_pending"), sql`${memberships.state} = 'pending'`),
);

/** Selects a member. Returns no row for a user who is not a member. */
export const findMember = statement({ companyId: memberships.company_id, userId: memberships.user_id }, (p) =>
  queryBuilder
    .select(columns)
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.user_id))
    .leftJoin(preferences, eq(preferences.user_id, users.id))
    .where(and(eq(memberships.company_id, p.companyId), eq(memberships.user_id, p.userId))),
);
