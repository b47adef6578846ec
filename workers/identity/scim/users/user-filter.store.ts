import { type SQL, sql } from "drizzle-orm";
import { conditionOf, type Filter, type FilterAttribute } from "../../../../db/identity/conditions/scim-filter";
import { memberships, scim_users, users } from "../../../../db/identity/schema";
import { integer, json } from "../../../kit/db/kind";
import { selectRows } from "../../../kit/db/query";
import { type Bound, unregisteredStatement } from "../../../kit/db/statement";
import { fromDirectory, type ListedUser, listedUser } from "./user.store";

const { company_id, user_id, attributes } = scim_users;
const nameOf = (key: "first_name" | "last_name") =>
  sql`coalesce(${memberships.profile} ->> ${sql.raw(`'$.${key}'`)}, ${users[key]})`;
const email: FilterAttribute = { kind: "lower", column: sql`${users.email}` };

/** The attributes by which users can be filtered. */
export const filterable: Record<string, FilterAttribute> = {
  id: { kind: "id", column: sql`${user_id}` },
  externalid: { kind: "exact", column: sql`${scim_users.external_id}` },
  username: { kind: "lower", column: sql`${scim_users.user_name_key}` },
  displayname: { kind: "text", column: sql`${attributes} ->> '$.display_name'` },
  "name.givenname": { kind: "text", column: nameOf("first_name") },
  "name.familyname": { kind: "text", column: nameOf("last_name") },
  "name.formatted": { kind: "text", column: sql`${attributes} ->> '$.formatted_name'` },
  emails: email,
  "emails.value": email,
  "emails.type": { kind: "text", column: sql`coalesce(${attributes} ->> '$.email.type', 'work')` },
  "emails.primary": { kind: "boolean", column: sql`coalesce(${attributes} ->> '$.email.primary', 1)` },
  active: { kind: "boolean", column: sql`(${memberships.state} = 'allowed')` },
  "meta.created": { kind: "time", column: sql`${scim_users.created_at}` },
  "meta.lastmodified": { kind: "time", column: sql`${scim_users.updated_at}` },
};

/**
 * Returns the statement that selects the users that match a filter, by id, each with the total. Conditions on the user name, the external id, the id and the address use an index.
 */
export function selectMatchingUsers(
  companyId: number,
  filter: Filter,
  page: { offset: number; limit: number },
): Bound<ListedUser & { total: number }> {
  const values: (string | number | null)[] = [];
  const parameters = {
    companyId: company_id,
    values: json<(string | number | null)[]>(),
    offset: integer,
    limit: integer,
  };
  const select = unregisteredStatement(parameters, (p) => {
    const condition = conditionOf(filter, filterable, values, p.values as SQL);
    const matching = sql`(select ${user_id} as id, count(*) over () as total ${fromDirectory}
      where ${company_id} = ${p.companyId} and json_array_length(${p.values}) >= 0 and ${condition}
      order by ${user_id} limit ${p.limit} offset ${p.offset}) matching`;
    return selectRows(
      { ...listedUser, total: sql`matching.total`.mapWith(integer) },
      (columns) => sql`select ${columns} from ${matching}
        cross join ${scim_users} on ${company_id} = ${p.companyId} and ${user_id} = matching.id
        cross join ${users} on ${users.id} = matching.id
        cross join ${memberships} on ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = matching.id
        order by matching.id`,
    );
  });
  // The statement is built here, so that `values` is complete when it is bound.
  void select.text;
  return select({ companyId, values, ...page });
}
