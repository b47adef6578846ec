import { type GetColumnData, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { memberships, preferences, users } from "../schema";

// A user as one company sees them: the account, the membership of that company and the preferences. The membership and
// the preferences are null when there is no row. Statements select from `users` and LEFT JOIN `memberships` and
// `preferences`.

/** Columns of the account. */
export const accountColumns = {
  id: users.id,
  email: users.email,
  email_verified_at: users.email_verified_at,
  username: users.username,
  first_name: users.first_name,
  last_name: users.last_name,
  avatar_url: users.avatar_url,
  metadata: users.metadata,
  is_active: users.is_active,
  is_staff: users.is_staff,
  created_at: users.created_at,
  updated_at: users.updated_at,
};

/** Columns of the joined membership. */
export const membershipColumns = {
  state: memberships.state,
  state_reason: memberships.state_reason,
  state_at: memberships.state_at,
  is_owner: memberships.is_owner,
  profile: memberships.profile,
  last_seen_at: memberships.last_seen_at,
  group_names: memberships.group_names,
  groups_truncated: memberships.groups_truncated,
};

/** Columns of the joined preferences. */
export const preferenceColumns = {
  theme_name: preferences.theme_name,
  language: preferences.language,
  region: preferences.region,
  color_scheme: preferences.color_scheme,
};

/**
 * All columns, for the query builder. The builder knows which tables are joined; SQL templates must wrap the joined columns
 * in `leftJoined`.
 */
export const companyUserColumns = { ...accountColumns, ...membershipColumns, ...preferenceColumns };

type Selected<C extends Record<string, AnySQLiteColumn>> = { [K in keyof C]: GetColumnData<C[K]> };
type Joined<C extends Record<string, AnySQLiteColumn>> = { [K in keyof C]: GetColumnData<C[K]> | null };

/** A user as one company sees them. Columns of the membership and the preferences are null when there is no row. */
export type CompanyUserRow = Selected<typeof accountColumns> &
  Joined<typeof membershipColumns> &
  Joined<typeof preferenceColumns>;

/**
 * Returns the data of an event about a user as JSON: the user block with the source, merged with the object `extra`. The
 * statement must join `users` and `preferences`.
 */
export function userEventData(source: SQLWrapper, extra: SQLWrapper): SQL {
  return sql`json_patch(${userJson(source)}, ${extra})`;
}

/**
 * Returns the user block of event data as JSON, from `users` and the joined `preferences`. `rest` contains further keys
 * and values.
 */
export function userJson(source: SQLWrapper, rest: SQL = sql``): SQL {
  return sql`json_object('user_id', ${users.id}, 'email', ${users.email}, 'username', ${users.username},
    'source', ${source}, 'language', coalesce(${preferences.language}, 'en'),
    'region', coalesce(${preferences.region}, 'UTC')${rest})`;
}

/** Parameters of freeUsername. The last one is random. */
export const usernameParameters = {
  username: users.username,
  username2: users.username,
  username3: users.username,
  randomUsername: users.username,
};

/** Returns the first of three user names that is free, else `randomUsername`, which is not checked. */
export function freeUsername(p: Record<keyof typeof usernameParameters, SQLWrapper>): SQL<string> {
  const isFree = (candidate: SQLWrapper) =>
    sql`not exists (select 1 from ${users} where ${users.username} = ${candidate})`;
  return sql`case when ${isFree(p.username)} then ${p.username} when ${isFree(p.username2)} then ${p.username2}
    when ${isFree(p.username3)} then ${p.username3} else ${p.randomUsername} end`;
}

/**
 * Returns the joins of a user's membership of a company and of the user's preferences. They follow `users` in a
 * template.
 */
export function joinCompanyUser(companyId: SQLWrapper): SQL {
  return sql`left join ${memberships}
      on ${memberships.company_id} = ${companyId} and ${memberships.user_id} = ${users.id}
    left join ${preferences} on ${preferences.user_id} = ${users.id}`;
}

/** The first and last name of a user, or the address when the user has no name. */
export const displayedName = sql`coalesce(nullif(trim(${users.first_name} || ' ' || ${users.last_name}), ''), ${users.email})`;
