import { and, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { hasOtherOwner } from "../../../../db/identity/conditions/membership";
import { type GroupOfMember, groupListOf } from "../../../../db/identity/groups";
import { memberships, scim_companies, scim_users, users } from "../../../../db/identity/schema";
import type { ListAnchor } from "../../../../db/identity/scim";
import { boolean, integer, json } from "../../../kit/db/kind";
import { leftJoined, queryBuilder, selectRows, tableReference } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

// The statements that read users of the directory: the row of scim_users with the account and the membership.

const { company_id, user_id, user_name_key } = scim_users;
const page = alias(scim_users, "page");
/** Returns the columns of the table, or of an alias of it. */
const columnsOf = (table: typeof scim_users | typeof page) => ({
  user_name: table.user_name,
  external_id: table.external_id,
  attributes: table.attributes,
  revision: table.revision,
  created_at: table.created_at,
  updated_at: table.updated_at,
});
const directoryColumns = columnsOf(scim_users);
const accountColumns = {
  id: users.id,
  email: users.email,
  first_name: users.first_name,
  last_name: users.last_name,
};
const membershipColumns = {
  state: memberships.state,
  state_reason: memberships.state_reason,
  profile: memberships.profile,
};
const otherMemberships = alias(memberships, "other");
/** What decides whether the directory may change the account. */
const rights = {
  is_staff: users.is_staff,
  is_owner: memberships.is_owner,
  is_last_owner:
    sql`${memberships.is_owner} and not ${hasOtherOwner(memberships.company_id, memberships.user_id)}`.mapWith(boolean),
  is_shared:
    sql`exists (select 1 from ${tableReference(otherMemberships)} where ${otherMemberships.user_id} = ${users.id}
    and ${otherMemberships.company_id} <> ${memberships.company_id})`.mapWith(boolean),
};

/** The columns of a user in a list. Lists do not show groups, because these would cost another row for each user. */
export const listedUser = {
  ...directoryColumns,
  ...accountColumns,
  ...membershipColumns,
};

const groups = groupListOf(sql`${company_id}`, sql`${user_id}`).mapWith(json<GroupOfMember[]>());

/** FROM and joins of a user in a list. */
export const fromDirectory = sql`from ${scim_users}
  join ${users} on ${users.id} = ${user_id}
  join ${memberships} on ${memberships.company_id} = ${company_id} and ${memberships.user_id} = ${user_id}`;

/** Selects a user of the directory by id. */
export const findUser = statement({ companyId: company_id, userId: user_id }, (p) =>
  selectRows(
    { ...listedUser, groups, ...rights },
    (columns) =>
      sql`select ${columns} ${fromDirectory} where ${company_id} = ${p.companyId} and ${user_id} = ${p.userId}`,
  ),
);

/** Selects a user of the directory by user name, which is in lower case. */
export const findUserByName = statement({ companyId: company_id, nameKey: user_name_key }, (p) =>
  selectRows(
    { ...listedUser, groups, ...rights },
    (columns) =>
      sql`select ${columns} ${fromDirectory} where ${company_id} = ${p.companyId} and ${user_name_key} = ${p.nameKey}`,
  ),
);

/** A user of the directory with the rights of the directory on the account. */
export type StoredUser = RowOfStatement<typeof findUser>;
/** A user of the directory in a list. */
export type ListedUser = Omit<StoredUser, keyof typeof rights | "groups">;

/** Selects the account with this address, with its membership of the company and its row of scim_users, if there are any. */
export const findAccount = statement({ companyId: company_id, email: users.email }, (p) =>
  selectRows(
    {
      ...accountColumns,
      is_staff: users.is_staff,
      ...leftJoined({ ...membershipColumns, is_owner: memberships.is_owner, ...directoryColumns }),
      is_last_owner: sql`coalesce(${memberships.is_owner} and not ${hasOtherOwner(p.companyId, users.id)}, 0)`.mapWith(
        boolean,
      ),
      is_shared:
        sql`exists (select 1 from ${tableReference(otherMemberships)} where ${otherMemberships.user_id} = ${users.id}
        and ${otherMemberships.company_id} <> ${p.companyId})`.mapWith(boolean),
    },
    (columns) => sql`select ${columns} from ${users}
      left join ${memberships} on ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${users.id}
      left join ${scim_users} on ${company_id} = ${p.companyId} and ${user_id} = ${users.id}
      where ${users.email} = ${p.email}`,
  ),
);

export type Account = RowOfStatement<typeof findAccount>;

/** Selects the totals of the directory and the positions of the last pages. */
export const findTotals = statement({ companyId: scim_companies.company_id }, (p) =>
  queryBuilder
    .select({ users: scim_companies.users, generation: scim_companies.generation, anchors: scim_companies.anchors })
    .from(scim_companies)
    .where(eq(scim_companies.company_id, p.companyId)),
);

/**
 * Selects a page of the users, ordered by id. It begins at the stored position with the highest start that is not above `start`, so
 * that it passes over the fewest users.
 */
export const listUsers = statement({ companyId: company_id, start: integer, limit: integer }, (p) =>
  selectRows({ ...listedUser, ...columnsOf(page) }, (columns) => {
    const anchor = (member: "after" | "start") => sql`coalesce((select anchor.value ->> ${sql.raw(`'${member}'`)}
      from ${scim_companies} cross join json_each(${scim_companies.anchors}) anchor
      where ${scim_companies.company_id} = ${p.companyId} and anchor.value ->> 'generation' = ${scim_companies.generation}
        and anchor.value ->> 'start' <= ${p.start}
      order by anchor.value ->> 'start' desc limit 1), ${sql.raw(member === "after" ? "0" : "1")})`;
    return sql`select ${columns} from (select * from ${scim_users} where ${company_id} = ${p.companyId}
        and ${user_id} > ${anchor("after")} order by ${user_id} limit ${p.limit} offset ${p.start} - ${anchor("start")}) page
      cross join ${users} on ${users.id} = ${page.user_id}
      cross join ${memberships} on ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${page.user_id}
      order by ${page.user_id}`;
  }),
);

/** Stores the positions of the last pages, unless users moved to other positions since generation `generation`. */
export const storeAnchors = statement(
  { companyId: scim_companies.company_id, generation: integer, anchors: json<ListAnchor[]>() },
  (p) =>
    queryBuilder
      .update(scim_companies)
      .set({ anchors: p.anchors })
      .where(and(eq(scim_companies.company_id, p.companyId), eq(scim_companies.generation, p.generation))),
);
