import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { group_members, groups, identities, memberships, preferences, users } from "../../../../db/identity/schema";
import { integer, json } from "../../../kit/db/kind";
import { columnName, insertSelect, jsonEach, queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";
import { isMemberElsewhere } from "./import-read.store";

// The statements that write a chunk of imported people. Each handles all people of the chunk, who are bound as one JSON value,
// and is conditional, so that a repeated batch changes nothing.

/** A new account. `random_username` replaces a username that was taken since it was read. Times are unix ms. */
export type NewAccount = {
  email: string;
  verified_at: number | null;
  username: string;
  random_username: string;
  first_name: string;
  last_name: string;
  created_at: number;
};

/** Inserts accounts for addresses that have none. */
export const insertAccounts = statement({ accounts: json<NewAccount[]>(), now: users.updated_at }, (p) => {
  const { from, item } = jsonEach(p.accounts, "account");
  return insertSelect(
    users,
    {
      email: item.email,
      email_verified_at: item.verified_at,
      username: sql`iif(exists (select 1 from ${users} where ${users.username} = ${item.username}),
        ${item.random_username}, ${item.username})`,
      first_name: item.first_name,
      last_name: item.last_name,
      created_at: item.created_at,
      updated_at: p.now,
    },
    // `on conflict do nothing` would still write the sequence of the table's ids.
    sql`from ${from} where not exists (select 1 from ${users} where ${users.email} = ${item.email})`,
  );
});

/** New names of a member. They are complete: an unchanged name has its stored value. */
export type Rename = {
  user_id: number;
  first_name: string;
  last_name: string;
  changed_fields: string[];
  event_id: string;
};

const renames = { companyId: memberships.company_id, renames: json<Rename[]>() };

/**
 * Returns the condition that the membership of a renamed person has a profile, or that the person belongs to another company.
 * Then the names are stored in the profile, else in the account.
 */
const hasCompanyProfile = (companyId: SQLWrapper, userId: SQLWrapper) =>
  sql`(${isMemberElsewhere(userId, companyId)} or exists (select 1 from ${memberships}
    where ${memberships.company_id} = ${companyId} and ${memberships.user_id} = ${userId} and ${memberships.profile} is not null))`;

/** Renames the accounts of people who belong to no other company. */
export const renameAccounts = statement({ ...renames, now: users.updated_at }, (p) => {
  const { from, item } = jsonEach(p.renames, "person");
  return queryBuilder
    .update(users)
    .set({ first_name: sql`${item.first_name}`, last_name: sql`${item.last_name}`, updated_at: p.now })
    .from(from)
    .where(
      sql`${users.id} = ${item.user_id} and not ${hasCompanyProfile(p.companyId, item.user_id)}
        and (${users.first_name} <> ${item.first_name} or ${users.last_name} <> ${item.last_name})`,
    );
});

/** Renames the profiles of members who belong to another company, or whose membership has a profile. */
export const renameProfiles = statement(renames, (p) => {
  const { from, item } = jsonEach(p.renames, "person");
  const { profile } = memberships;
  return queryBuilder
    .update(memberships)
    .set({
      profile: sql`json_object('first_name', ${item.first_name}, 'last_name', ${item.last_name},
        'metadata', json(coalesce(${profile} -> '$.metadata',
          (select ${users.metadata} from ${users} where ${users.id} = ${item.user_id}))))`,
    })
    .from(from)
    .where(
      sql`${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${item.user_id}
        and ${hasCompanyProfile(p.companyId, item.user_id)}`,
    );
});

export type NewPreferences = { email: string; language: "en" | "fr"; region: string };

/** Returns the FROM terms of the chunk's people who are members of the company and not staff. */
const membersOf = (list: SQL, email: SQLWrapper, companyId: SQLWrapper) =>
  sql`${list} cross join ${users} on ${users.email} = ${email} and ${users.is_staff} = 0
    cross join ${memberships} on ${memberships.company_id} = ${companyId} and ${memberships.user_id} = ${users.id}`;

/** Inserts preferences for people who have none. */
export const insertPreferences = statement(
  { companyId: memberships.company_id, people: json<NewPreferences[]>(), now: preferences.updated_at },
  (p) => {
    const { from, item } = jsonEach(p.people, "person");
    return insertSelect(
      preferences,
      { user_id: users.id, language: item.language, region: item.region, updated_at: p.now },
      sql`from ${membersOf(from, item.email, p.companyId)} where true on conflict do nothing`,
    );
  },
);

/** An account at a provider to link. `company` is 0 unless the provider is the company's own. */
export type LinkedAccount = {
  id: string;
  email: string;
  provider: string;
  issuer: string;
  subject: string;
  company: number;
  proven: boolean;
  created_at: number;
};

/**
 * Links accounts at providers. Does nothing for an account that is linked already, for people who belong to another company,
 * where the provider's account would sign in too, and for a proven address if that of the row is unverified.
 */
export const insertLinks = statement(
  { companyId: memberships.company_id, links: json<LinkedAccount[]>(), now: integer },
  (p) => {
    const { from, item } = jsonEach(p.links, "link");
    return insertSelect(
      identities,
      {
        id: item.id,
        user_id: users.id,
        provider: item.provider,
        issuer: item.issuer,
        subject: item.subject,
        company_id: item.company,
        email: item.email,
        email_proven: sql`${item.proven}`,
        created_at: item.created_at,
        last_used_at: p.now,
      },
      sql`from ${membersOf(from, item.email, p.companyId)}
        where (${item.company} <> 0 or not ${isMemberElsewhere(users.id, p.companyId)})
          and (${item.proven} = 1 or ${users.email_verified_at} is null) on conflict do nothing`,
    );
  },
);

/** A person who joins a group. */
export type GroupJoin = { group_id: string; email: string };

const joins = { companyId: memberships.company_id, joins: json<GroupJoin[]>() };

/** Adds people to groups that administrators manage. */
export const insertGroupJoins = statement(joins, (p) => {
  const { from, item } = jsonEach(p.joins, "joined");
  return insertSelect(
    group_members,
    { group_id: groups.id, user_id: users.id },
    sql`from ${membersOf(from, item.email, p.companyId)}
      cross join ${groups} on ${groups.id} = ${item.group_id} and ${groups.company_id} = ${p.companyId}
        and ${groups.source} = 'admin'
      where true on conflict do nothing`,
  );
});

const counted = alias(group_members, "counted");

/** Recounts the users of groups whose stored number differs, and gives these groups a new revision. */
export const recountGroups = statement(
  { companyId: groups.company_id, ids: json<string[]>(), now: groups.updated_at },
  (p) => {
    const total = sql`(select count(*) from ${group_members} ${sql.identifier("counted")} where ${counted.group_id} = ${groups.id})`;
    const listed = jsonEach(p.ids, "listed");
    return sql`update ${groups} set ${columnName(groups.user_count)} = ${total},
      ${columnName(groups.revision)} = lower(hex(randomblob(16))), ${columnName(groups.updated_at)} = ${p.now}
      where ${groups.company_id} = ${p.companyId} and ${groups.source} = 'admin'
        and ${groups.id} in (select ${listed.value} from ${listed.from}) and ${groups.user_count} <> ${total}`;
  },
);
