import { type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import {
  group_members,
  groups,
  identities,
  invitations,
  memberships,
  oauth_clients,
  preferences,
  users,
} from "../../../../db/identity/schema";
import { boolean, integer, json, nullable, text } from "../../../kit/db/kind";
import { jsonEach, leftJoined, selectRows, tableReference } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

const other = alias(memberships, "other");

/** Returns the condition that the user is a member of a company other than this one. */
export const isMemberElsewhere = (userId: SQLWrapper, companyId: SQLWrapper) =>
  sql`exists (select 1 from ${tableReference(other)} where ${other.user_id} = ${userId} and ${other.company_id} <> ${companyId})`;

/** Selects the accounts with these addresses, as the company sees them. */
export const findPeople = statement({ companyId: memberships.company_id, emails: json<string[]>() }, (p) => {
  const listed = jsonEach(p.emails, "listed");
  return selectRows(
    {
      id: users.id,
      email: users.email,
      is_active: users.is_active,
      is_staff: users.is_staff,
      email_verified_at: users.email_verified_at,
      first_name: users.first_name,
      last_name: users.last_name,
      ...leftJoined({ state: memberships.state, state_reason: memberships.state_reason, profile: memberships.profile }),
      is_member_elsewhere: isMemberElsewhere(users.id, p.companyId).mapWith(boolean),
      has_preferences: sql`exists (select 1 from ${preferences} where ${preferences.user_id} = ${users.id})`.mapWith(
        boolean,
      ),
      group_ids: sql`(select json_group_array(${groups.id}) from ${group_members}
        cross join ${groups} on ${groups.id} = ${group_members.group_id} and ${groups.company_id} = ${p.companyId}
        where ${group_members.user_id} = ${users.id})`.mapWith(json<string[]>()),
    },
    (columns) => sql`select ${columns} from ${listed.from} cross join ${users} on ${users.email} = ${listed.value}
      left join ${memberships} on ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${users.id}`,
  );
});

export type PersonRow = RowOfStatement<typeof findPeople>;

/** Selects the pending and revoked invitations of these addresses. */
export const findInvitationsOf = statement({ companyId: invitations.company_id, emails: json<string[]>() }, (p) => {
  const listed = jsonEach(p.emails, "listed");
  return selectRows(
    { email: invitations.email, status: invitations.status, expires_at: invitations.expires_at },
    // SQLite uses the partial index of addresses only if the query repeats its condition.
    (columns) => sql`select ${columns} from ${listed.from} cross join ${invitations}
      on ${invitations.company_id} = ${p.companyId} and ${invitations.email} = ${listed.value}
        and ${invitations.status} <> 'accepted'`,
  );
});

/** An account at a provider, as it is stored. `company` is 0 unless the provider is the company's own. */
export type AccountKey = { provider: string; issuer: string; subject: string; company: number };

/** Selects the users to whom these accounts at providers are linked. */
export const findLinkedUsers = statement({ accounts: json<AccountKey[]>() }, (p) => {
  const { from, item } = jsonEach(p.accounts, "account");
  return selectRows(
    {
      provider: identities.provider,
      issuer: identities.issuer,
      subject: identities.subject,
      user_id: identities.user_id,
    },
    (
      columns,
    ) => sql`select ${columns} from ${from} cross join ${identities} on ${identities.provider} = ${item.provider}
      and ${identities.issuer} = ${item.issuer} and ${identities.subject} = ${item.subject}
      and ${identities.company_id} = ${item.company}`,
  );
});

/** Selects the company's groups with these names in lower case. */
export const findGroupsByName = statement({ companyId: groups.company_id, keys: json<string[]>() }, (p) => {
  const listed = jsonEach(p.keys, "listed");
  return selectRows(
    { id: groups.id, name_key: groups.name_key, source: groups.source },
    (columns) => sql`select ${columns} from ${listed.from}
      cross join ${groups} on ${groups.company_id} = ${p.companyId} and ${groups.name_key} = ${listed.value}`,
  );
});

/** Selects which of these usernames are taken. */
export const findTakenUsernames = statement({ usernames: json<string[]>() }, (p) => {
  const listed = jsonEach(p.usernames, "listed");
  return selectRows(
    { username: users.username },
    (columns) => sql`select ${columns} from ${listed.from} cross join ${users} on ${users.username} = ${listed.value}`,
  );
});

/** Selects the issuers of the OpenID providers that the company configured. */
export const findCompanyIssuers = statement({ companyId: oauth_clients.company_id }, (p) =>
  selectRows(
    {
      provider_id: oauth_clients.provider_id,
      issuer: sql`${oauth_clients.config} ->> '$.issuer'`.mapWith(nullable(text)),
    },
    (columns) => sql`select ${columns} from ${oauth_clients}
      where ${oauth_clients.company_id} = ${p.companyId} and ${oauth_clients.provider} = 'oidc'`,
  ),
);

const exported = { companyId: memberships.company_id, after: memberships.user_id, limit: integer };

const nameOf = (key: "first_name" | "last_name") =>
  sql`coalesce(${memberships.profile} ->> ${sql.raw(`'$.${key}'`)}, ${users[key]})`.mapWith(text);

/** Selects the members that follow the user id `after`, with their direct groups and their accounts at providers. */
export const listExported = statement(exported, (p) =>
  selectRows(
    {
      id: users.id,
      email: users.email,
      email_verified_at: users.email_verified_at,
      username: users.username,
      first_name: nameOf("first_name"),
      last_name: nameOf("last_name"),
      is_staff: users.is_staff,
      state: memberships.state,
      state_reason: memberships.state_reason,
      is_owner: memberships.is_owner,
      created_at: memberships.created_at,
      last_seen_at: memberships.last_seen_at,
      user_metadata: sql`coalesce(${memberships.profile} -> '$.metadata', ${users.metadata})`.mapWith(
        json<Record<string, unknown>>(),
      ),
      ...leftJoined({ language: preferences.language, region: preferences.region }),
      groups: sql`(select json_group_array(${groups.display_name} order by ${groups.name_key}) from ${group_members}
        cross join ${groups} on ${groups.id} = ${group_members.group_id} and ${groups.company_id} = ${p.companyId}
        where ${group_members.user_id} = ${users.id})`.mapWith(json<string[]>()),
      accounts:
        sql`(select json_group_array(json_object('provider', ${identities.provider}, 'issuer', ${identities.issuer},
          'subject', ${identities.subject}) order by ${identities.id}) from ${identities}
        where ${identities.user_id} = ${users.id} and ${identities.company_id} in (0, ${p.companyId}))`.mapWith(
          json<{ provider: string; issuer: string; subject: string }[]>(),
        ),
    },
    (columns) => sql`select ${columns} from ${memberships} cross join ${users} on ${users.id} = ${memberships.user_id}
      left join ${preferences} on ${preferences.user_id} = ${users.id}
      where ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} > ${p.after}
      order by ${memberships.user_id} limit ${p.limit}`,
  ),
);

export type ExportedRow = RowOfStatement<typeof listExported>;
