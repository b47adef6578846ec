import { and, eq, type SQLWrapper, sql } from "drizzle-orm";
import { type PersonRow, personColumns } from "../../../db/identity/person";
import { company_totals, memberships, preferences, users } from "../../../db/identity/schema";
import { integer, nullable, text } from "../../kit/db/kind";
import { leftJoined, q, rows } from "../../kit/db/query";
import { type RowOfStatement, statement } from "../../kit/db/statement";

/** A member of a company; `member_since` is unix ms. */
export type MemberRow = PersonRow & { member_since: number };

const columns = { ...personColumns, member_since: memberships.created_at };
const ofMembers = { companyId: memberships.company_id, limit: integer, offset: integer };

// The page is cut from the key (company, user) alone, and only its rows are looked up: the first page of a company costs the
// same for any number of members. An empty page is one row without id, because the total must be told too.
const rowsOfPage = (companyId: SQLWrapper) => sql`from (select 1) left join page
  left join ${users} on ${users.id} = page.user_id
  left join ${memberships} on ${memberships.company_id} = ${companyId} and ${memberships.user_id} = page.user_id
  left join ${preferences} on ${preferences.user_id} = page.user_id order by page.user_id desc`;

const listed = (total: ReturnType<typeof sql>) => ({ total: total.mapWith(nullable(integer)), ...leftJoined(columns) });

/** A page of the members, newest id first, with their stored total; the one row of an empty page has no id. */
export const listMembers = statement(ofMembers, (p) =>
  rows(
    listed(
      sql`(select ${company_totals.members} from ${company_totals} where ${company_totals.company_id} = ${p.companyId})`,
    ),
    (listedColumns) => sql`with page as (select ${memberships.user_id} from ${memberships}
        where ${memberships.company_id} = ${p.companyId} order by ${memberships.user_id} desc limit ${p.limit} offset ${p.offset})
      select ${listedColumns} ${rowsOfPage(p.companyId)}`,
  ),
);

/** As listMembers, of those whose email, user name or names hold the text, or of that id. */
export const searchMembers = statement({ ...ofMembers, text, userId: nullable(integer) }, (p) => {
  const holds = (value: SQLWrapper) => sql`instr(${value}, lower(${p.text})) > 0`;
  const own = (key: "first_name" | "last_name") =>
    sql`coalesce(${memberships.profile} ->> ${sql.raw(`'$.${key}'`)}, ${users[key]})`;
  return rows(
    listed(sql`(select count(*) from hits)`),
    (listedColumns) => sql`with hits as materialized (
        select ${memberships.user_id} from ${memberships} cross join ${users} on ${users.id} = ${memberships.user_id}
        where ${memberships.company_id} = ${p.companyId} and (${memberships.user_id} = ${p.userId}
          or ${holds(users.email)} or ${holds(sql`lower(${users.username})`)}
          or ${holds(sql`lower(${own("first_name")} || ' ' || ${own("last_name")})`)})),
      page as (select user_id from hits order by user_id desc limit ${p.limit} offset ${p.offset})
      select ${listedColumns} ${rowsOfPage(p.companyId)}`,
  );
});

/** The member; no row for somebody who is none. */
export const findMember = statement({ companyId: memberships.company_id, userId: memberships.user_id }, (p) =>
  q
    .select(columns)
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.user_id))
    .leftJoin(preferences, eq(preferences.user_id, users.id))
    .where(and(eq(memberships.company_id, p.companyId), eq(memberships.user_id, p.userId))),
);

type ListedRow = RowOfStatement<typeof listMembers>;

/** Whether a row of a list is a member; the one row of an empty page is none. */
export function isMemberRow(row: ListedRow): row is ListedRow & MemberRow {
  return row.id !== null;
}
