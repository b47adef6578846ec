import { and, eq, isNull, ne, not, or, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { freeUsername, userEventData, usernameParameters } from "../../../../db/identity/conditions/company-user";
import { hasOtherOwner } from "../../../../db/identity/conditions/membership";
import {
  event_log,
  group_members,
  groups,
  identities,
  memberships,
  preferences,
  scim_users,
  users,
} from "../../../../db/identity/schema";
import { boolean, integer, json, text } from "../../../kit/db/kind";
import { columnName, insertSelect, jsonEach, queryBuilder, tableReference } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

// The statements of a change by the directory. The first ones store the new revision if the user is in the planned state.
// `requireRevision` then rolls back the batch if they did not, so that the others need no conditions.

const { company_id, user_id, revision } = scim_users;
const user = { companyId: company_id, userId: user_id };
type User = Record<keyof typeof user, SQLWrapper>;

const otherMemberships = alias(memberships, "other");
// The statements may insert from `users`, so that conditions on the account need an alias.
const account = alias(users, "account");
const isShared = (p: User) =>
  sql`exists (select 1 from ${tableReference(otherMemberships)} where ${otherMemberships.user_id} = ${p.userId} and ${otherMemberships.company_id} <> ${p.companyId})`;
const isStaff = (p: User) =>
  sql`exists (select 1 from ${tableReference(account)} where ${account.id} = ${p.userId} and ${account.is_staff} = 1)`;
/** Whether changes of names are stored with the account: it belongs to this company alone and is not staff. */
const ownsAccount = (p: User) => sql`(not ${isShared(p)} and not ${isStaff(p)})`;
const hasNoProfile = (
  p: User,
) => sql`exists (select 1 from ${memberships} where ${memberships.company_id} = ${p.companyId}
  and ${memberships.user_id} = ${p.userId} and ${memberships.profile} is null)`;
const isLastOwner = (
  p: User,
) => sql`(exists (select 1 from ${memberships} where ${memberships.company_id} = ${p.companyId}
  and ${memberships.user_id} = ${p.userId} and ${memberships.is_owner} = 1) and not ${hasOtherOwner(p.companyId, p.userId)})`;
const isStaffWithoutAccess = (p: User) => sql`(${isStaff(p)}
  and not exists (select 1 from ${memberships} where ${memberships.company_id} = ${p.companyId}
    and ${memberships.user_id} = ${p.userId} and ${memberships.state} = 'allowed'))`;

/** What a change affects. A change of the address needs an account that belongs to this company alone. */
const changeFlags = { changesAddress: boolean, givesAccess: boolean, endsAccess: boolean };
const canChange = (p: User & Record<keyof typeof changeFlags, SQLWrapper>) =>
  and(
    sql`(${p.changesAddress} = 0 or ${ownsAccount(p)})`,
    sql`(${p.givesAccess} = 0 or not ${isStaffWithoutAccess(p)})`,
    sql`(${p.endsAccess} = 0 or not ${isLastOwner(p)})`,
  );

const directoryValues = {
  userName: scim_users.user_name,
  nameKey: scim_users.user_name_key,
  externalId: scim_users.external_id,
  attributes: scim_users.attributes,
  revision,
  now: scim_users.updated_at,
};

/** Stores the attributes of a user who has the revision `planned`, if the account allows the change. */
export const changeUser = statement({ ...user, ...directoryValues, ...changeFlags, planned: revision }, (p) =>
  queryBuilder
    .update(scim_users)
    .set({
      user_name: p.userName,
      user_name_key: p.nameKey,
      external_id: p.externalId,
      attributes: p.attributes,
      revision: p.revision,
      updated_at: p.now,
    })
    .where(and(eq(company_id, p.companyId), eq(user_id, p.userId), eq(revision, p.planned), canChange(p))),
);

/** Inserts an account without a verified address. A batch that is repeated after a lost response inserts nothing. */
export const insertAccount = statement(
  {
    companyId: company_id,
    nameKey: scim_users.user_name_key,
    revision,
    email: users.email,
    firstName: users.first_name,
    lastName: users.last_name,
    ...usernameParameters,
    now: integer,
  },
  (p) =>
    insertSelect(
      users,
      {
        email: p.email,
        username: freeUsername(p),
        first_name: p.firstName,
        last_name: p.lastName,
        created_at: p.now,
        updated_at: p.now,
      },
      sql`where not exists (select 1 from ${scim_users} where ${company_id} = ${p.companyId}
        and ${scim_users.user_name_key} = ${p.nameKey} and ${revision} = ${p.revision})`,
    ),
);

/**
 * Links the account with this address to the directory. Inserts nothing if the account already has a row of the directory or does
 * not allow the change. A user name that is taken violates the unique index and rolls back the batch.
 */
export const insertUser = statement(
  { companyId: company_id, email: users.email, ...directoryValues, ...changeFlags },
  (p) => {
    return insertSelect(
      scim_users,
      {
        company_id: p.companyId,
        user_id: users.id,
        user_name: p.userName,
        user_name_key: p.nameKey,
        external_id: p.externalId,
        attributes: p.attributes,
        revision: p.revision,
        created_at: p.now,
        updated_at: p.now,
      },
      sql`from ${users} where ${users.email} = ${p.email} and ${canChange({ ...p, userId: sql`${users.id}` })}
      and not exists (select 1 from ${scim_users} where ${company_id} = ${p.companyId} and ${user_id} = ${users.id})`,
    );
  },
);

/**
 * Rolls back the batch unless the user with this address has the revision. It inserts a row without a user id, which violates a
 * constraint.
 */
export const requireRevision = statement({ companyId: company_id, nameKey: scim_users.user_name_key, revision }, (p) =>
  insertSelect(
    scim_users,
    {
      company_id: p.companyId,
      user_id: sql`null`,
      user_name: "",
      user_name_key: "",
      attributes: sql`'{}'`,
      revision: "",
      created_at: 0,
      updated_at: 0,
    },
    sql`where not exists (select 1 from ${scim_users} where ${company_id} = ${p.companyId}
      and ${scim_users.user_name_key} = ${p.nameKey} and ${revision} = ${p.revision})`,
  ),
);

const profile = { ...user, firstName: users.first_name, lastName: users.last_name };

/** Stores names and address in an account that belongs to this company alone. A new address is not verified. */
export const changeAccount = statement({ ...profile, email: users.email, now: integer }, (p) =>
  queryBuilder
    .update(users)
    .set({
      first_name: sql`case when ${hasNoProfile(p)} then ${p.firstName} else ${users.first_name} end`,
      last_name: sql`case when ${hasNoProfile(p)} then ${p.lastName} else ${users.last_name} end`,
      email_verified_at: sql`case when ${users.email} = ${p.email} then ${users.email_verified_at} end`,
      email: p.email,
      updated_at: p.now,
    })
    .where(and(eq(users.id, p.userId), ownsAccount(p))),
);

/**
 * Unlinks the accounts at providers from an account whose address changes, because their owner may be another person. Those of a
 * company's own provider give access to that company only, and remain.
 */
export const unlinkProviders = statement({ userId: identities.user_id }, (p) =>
  queryBuilder.delete(identities).where(and(eq(identities.user_id, p.userId), ne(identities.provider, "oidc"))),
);

/** Stores names with the membership, if the account belongs to several companies or to staff, or the membership has a profile. */
export const changeProfile = statement(profile, (p) =>
  queryBuilder
    .update(memberships)
    .set({
      profile: sql`json_set(coalesce(${memberships.profile}, '{}'), '$.first_name', ${p.firstName}, '$.last_name', ${p.lastName})`,
    })
    .where(
      and(
        eq(memberships.company_id, p.companyId),
        eq(memberships.user_id, p.userId),
        or(not(isNull(memberships.profile)), not(ownsAccount(p))),
      ),
    ),
);

/** Inserts language and time zone of a user who has no preferences, if the account belongs to this company alone. */
export const insertPreferences = statement(
  {
    companyId: company_id,
    email: users.email,
    language: preferences.language,
    region: preferences.region,
    now: integer,
  },
  (p) =>
    insertSelect(
      preferences,
      { user_id: users.id, language: p.language, region: p.region, updated_at: p.now },
      sql`from ${users} where ${users.email} = ${p.email} and ${ownsAccount({ companyId: p.companyId, userId: users.id })}
        on conflict (${columnName(preferences.user_id)}) do nothing`,
    ),
);

/** An event about a user: its id, type and further data. */
export type DirectoryEvent = { id: string; type: string; details: Record<string, unknown> };

/** Inserts events about the user with this address. A repeated batch inserts none. */
export const insertUserEvents = statement(
  {
    companyId: event_log.company_id,
    email: users.email,
    events: json<DirectoryEvent[]>(),
    actor: text,
    now: event_log.created_at,
  },
  (p) => {
    const event = jsonEach(p.events);
    return insertSelect(
      event_log,
      {
        id: event.item.id,
        company_id: p.companyId,
        event_type: event.item.type,
        user_id: users.id,
        user_email: users.email,
        data: userEventData(sql`'scim'`, event.item.details),
        actor: p.actor,
        created_at: p.now,
      },
      sql`from ${event.from} cross join ${users} left join ${preferences} on ${preferences.user_id} = ${users.id}
        where ${users.email} = ${p.email} on conflict do nothing`,
    );
  },
);

/** Deletes the user from the directory. The membership and the account remain. */
export const deleteUser = statement({ ...user, revision }, (p) =>
  queryBuilder
    .delete(scim_users)
    .where(and(eq(company_id, p.companyId), eq(user_id, p.userId), eq(revision, p.revision))),
);

const directoryGroups = (p: User) => sql`select ${groups.id} from ${group_members}
  cross join ${groups} on ${groups.id} = ${group_members.group_id}
  where ${group_members.user_id} = ${p.userId} and ${groups.company_id} = ${p.companyId} and ${groups.source} = 'scim'`;

/** Counts the user out of the groups that the directory manages. Run it before `leaveDirectoryGroups`. */
export const countOutOfDirectoryGroups = statement({ ...user, now: integer }, (p) =>
  queryBuilder
    .update(groups)
    .set({ user_count: sql`${groups.user_count} - 1`, revision: sql`lower(hex(randomblob(16)))`, updated_at: p.now })
    .where(sql`${groups.id} in (${directoryGroups(p)})`),
);

/** Removes the user from the groups that the directory manages. */
export const leaveDirectoryGroups = statement(user, (p) =>
  queryBuilder
    .delete(group_members)
    .where(and(eq(group_members.user_id, p.userId), sql`${group_members.group_id} in (${directoryGroups(p)})`)),
);
