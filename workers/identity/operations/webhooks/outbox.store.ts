import { and, eq, type SQLWrapper, sql } from "drizzle-orm";
import { displayedName } from "../../../../db/identity/conditions/company-user";
import { ownsCompany } from "../../../../db/identity/conditions/membership";
import {
  companies,
  event_log,
  frequentTypes,
  memberships,
  oauth_redirects,
  preferences,
  users,
} from "../../../../db/identity/schema";
import { mailedEvents } from "../../../../schemas/identity/events";
import { eventIdOf } from "../../../kit/webhooks/event-store/event-log.store";
import { createEventStatements } from "../../../kit/webhooks/event-store/event-statements.store";

/** The company object of an event's envelope, or null when the company is deleted. */
const company = sql`(select json_object('id', ${companies.id}, 'name', ${companies.name}, 'slug', ${companies.slug})
  from ${companies} where ${companies.id} = ${event_log.company_id})`;

/** The event data as mail variables: `email` becomes `recipient_email`, lists become text, and objects are left out. */
const data = sql`(select json_group_object(case field.key when 'email' then 'recipient_email' else field.key end,
  case field.type when 'array' then (select group_concat(item.value, ', ') from json_each(field.value) item) else field.value end order by field.key)
  from json_each(${event_log.data}) field where field.type <> 'object')`;

/** How many members a mail names. */
const MAX_NAMED = 10;

/** The names of the users who joined or left a group, and how many more there are. */
const memberNames = sql`(select nullif(group_concat(name, ', '), '') || case when count > ${sql.raw(String(MAX_NAMED))}
    then ' (+' || (count - ${sql.raw(String(MAX_NAMED))}) || ')' else '' end
  from (select ${displayedName} as name, (select json_array_length(${event_log.data}, '$.user_ids')) as count
    from json_each(${event_log.data}, '$.user_ids') member cross join ${users} on ${users.id} = member.value
    limit ${sql.raw(String(MAX_NAMED))}))`;

const payload = sql`json_patch(${data}, json_object('member_names',
  case when ${event_log.event_type} = 'identity.group.membership_changed' then ${memberNames} end,
  'thread_id', case when ${event_log.event_type} like 'identity.group.%' then ${event_log.data} ->> '$.group_id' end))`;

/** The name of the acting user, or null. */
const actorName = sql`(select ${displayedName} from ${users} where ${users.id} = ${event_log.actor} ->> '$.user_id')`;

/** The oldest active origin of the company's allowlist, where its users sign in. */
const appOrigin = sql`(select ${oauth_redirects.base_url} from ${oauth_redirects} indexed by oauth_redirects_oldest
  where ${oauth_redirects.company_id} = ${event_log.company_id} and ${oauth_redirects.is_active} = 1
  order by ${oauth_redirects.created_at}, ${oauth_redirects.id} limit 1)`;

/** Whether a change of a user gave them access or took it, so that they may not be able to open their account. */
const changesAccess = sql`exists (select 1 from json_each(${event_log.data}, '$.changed_fields') field
  where field.value in ('is_active', 'access_state'))`;

/**
 * The page in the administration, the sign-in page for users who got access, or the account in the shell for users whose profile
 * changed. Mails to a user about the end of their access have no link, because no page is left that they can open.
 */
const link = (console: SQLWrapper) => sql`case ${event_log.event_type}
  when 'identity.user.created' then ${appOrigin} || '/login'
  when 'identity.user.updated' then case when not ${changesAccess} then ${appOrigin} || '/__settings/account' end
  when 'identity.scim.user.provisioned' then ${appOrigin} || '/login'
  when 'identity.group.deleted' then ${console} || '/events/' || ${eventIdOf(event_log)}
  when 'identity.group.created' then ${groupPage(console)}
  when 'identity.group.updated' then ${groupPage(console)}
  when 'identity.group.membership_changed' then ${groupPage(console)}
  when 'identity.scim.token.created' then ${tokenPage(console)}
  when 'identity.scim.token.revoked' then ${tokenPage(console)}
  when 'identity.scim.provisioning_conflict' then ${console} || '/directory' end`;
const groupPage = (console: SQLWrapper) => sql`${console} || '/groups/' || (${event_log.data} ->> '$.group_id')`;
const tokenPage = (console: SQLWrapper) =>
  sql`${console} || '/directory?token=' || (${event_log.data} ->> '$.token_id')`;

const owners = and(
  ...[eq(memberships.company_id, event_log.company_id), ownsCompany(memberships), eq(users.is_active, true)],
);

/** Whether the user of an event has no access yet. A mail that their account is ready would be wrong; approval sends another one. */
const waitsForAccess = sql`exists (select 1 from ${memberships} where ${memberships.company_id} = ${event_log.company_id}
  and ${memberships.user_id} = ${event_log.data} ->> '$.user_id' and ${memberships.state} <> 'allowed')`;

/**
 * The recipients of a mail about the event: the user whom the event is about, else the company's owners. Includes their first
 * names, time zones and languages where these are known.
 */
const recipients = sql`case
  when ${event_log.event_type} like 'identity.user.%' or ${event_log.event_type} like 'identity.scim.user.%'
  then (select json_group_array(json_patch(json_object('email', recipient.email), json_object('user_id', recipient.user_id, 'name',
      (select nullif(${users.first_name}, '') from ${users} where ${users.id} = recipient.user_id), 'time_zone',
      (select ${preferences.region} from ${preferences} where ${preferences.user_id} = recipient.user_id), 'language',
      (select ${preferences.language} from ${preferences} where ${preferences.user_id} = recipient.user_id))))
    from (select coalesce(${event_log.data} ->> '$.email', ${event_log.user_email}) as email,
      ${event_log.data} ->> '$.user_id' as user_id) recipient
    where recipient.email is not null and not (${event_log.event_type} = 'identity.user.created' and ${waitsForAccess}))
  else (select json_group_array(json_patch(json_object('email', ${users.email}, 'user_id', ${users.id}),
      json_object('name', nullif(${users.first_name}, ''), 'time_zone',
        (select ${preferences.region} from ${preferences} where ${preferences.user_id} = ${users.id}), 'language',
        (select ${preferences.language} from ${preferences} where ${preferences.user_id} = ${users.id}))))
    from ${memberships} cross join ${users} on ${users.id} = ${memberships.user_id} where ${owners}) end`;

/** The statements that turn identity's events into deliveries. */
export const outbox = createEventStatements(event_log, {
  service: "identity",
  frequentTypes,
  company,
  actorEmail: event_log.user_email,
  posts: { types: mailedEvents, payload, recipients, actorName, link },
});
