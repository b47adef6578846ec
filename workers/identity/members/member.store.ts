import { sql } from "../../kit/db";
import { type PersonRow, personColumns } from "../account/person.store";

/** A member of a company; `member_since` is unix ms. */
export type MemberRow = PersonRow & { member_since: number };

/** A row of a list of members with the size of the whole list; `id` is null in the one row of an empty page. */
export type ListedMemberRow = { total: number | null } & (MemberRow | { id: null });

const columns = `${personColumns}, m.created_at AS member_since`;

// The page is cut from the key (company, user) alone, and only its rows are looked up: the first page of a company costs the
// same for any number of members. An empty page is one row without id, because the total must be told too.
const rowsOfPage = `${columns} FROM (SELECT 1) LEFT JOIN page LEFT JOIN users u ON u.id = page.user_id
  LEFT JOIN memberships m ON m.company_id = ?1 AND m.user_id = page.user_id
  LEFT JOIN preferences p ON p.user_id = page.user_id ORDER BY page.user_id DESC`;

/** (company, limit, offset): a page of the members, newest id first, with their stored total. */
export const listMembers = sql(
  `WITH page AS (SELECT user_id FROM memberships WHERE company_id = ?1 ORDER BY user_id DESC LIMIT ?2 OFFSET ?3)
   SELECT (SELECT members FROM company_totals WHERE company_id = ?1) AS total, ${rowsOfPage}`,
);

/** (company, limit, offset, text, id?): as listMembers, of those whose email, user name or names hold the text, or of that id. */
export const searchMembers = sql(
  `WITH hits AS MATERIALIZED (SELECT m.user_id FROM memberships m CROSS JOIN users u ON u.id = m.user_id
     WHERE m.company_id = ?1 AND (m.user_id = ?5 OR instr(u.email, lower(?4)) > 0
       OR instr(lower(u.username), lower(?4)) > 0
       OR instr(lower(coalesce(m.profile ->> '$.first_name', u.first_name) || ' ' ||
         coalesce(m.profile ->> '$.last_name', u.last_name)), lower(?4)) > 0)),
   page AS (SELECT user_id FROM hits ORDER BY user_id DESC LIMIT ?2 OFFSET ?3)
   SELECT (SELECT count(*) FROM hits) AS total, ${rowsOfPage}`,
);

/** (company, user): the member; no row for somebody who is none. */
export const findMember = sql(
  `SELECT ${columns} FROM memberships m JOIN users u ON u.id = m.user_id
   LEFT JOIN preferences p ON p.user_id = u.id WHERE m.company_id = ?1 AND m.user_id = ?2`,
);
