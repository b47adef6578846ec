import { and, eq, sql } from "drizzle-orm";
import { ownsCompany } from "../../../../db/identity/conditions/membership";
import { companies, event_log, frequentTypes, memberships, users } from "../../../../db/identity/schema";
import { mailedEvents } from "../../../../schemas/identity/events";
import { createEventStatements } from "../../../kit/webhooks/event-store/event-statements.store";

/** The company object of an event's envelope, or null when the company is deleted. */
const company = sql`(select json_object('id', ${companies.id}, 'name', ${companies.name}, 'slug', ${companies.slug})
  from ${companies} where ${companies.id} = ${event_log.company_id})`;

/** The event data as mail variables: `email` becomes `recipient_email`, lists become text, and objects are left out. */
const payload = sql`(select json_group_object(case field.key when 'email' then 'recipient_email' else field.key end,
  case field.type when 'array' then (select group_concat(item.value, ', ') from json_each(field.value) item) else field.value end order by field.key)
  from json_each(${event_log.data}) field where field.type <> 'object')`;

const owners = and(
  ...[eq(memberships.company_id, event_log.company_id), ownsCompany(memberships), eq(users.is_active, true)],
);

/**
 * The recipients of a mail about the event: the user whom the event is about, else the company's owners. Includes their first
 * names where these are known.
 */
const recipients = sql`case
  when ${event_log.event_type} like 'identity.user.%' or ${event_log.event_type} like 'identity.scim.user.%'
  then (select json_group_array(json_patch(json_object('email', recipient.email), json_object('user_id', recipient.user_id, 'name',
      (select nullif(${users.first_name}, '') from ${users} where ${users.id} = recipient.user_id))))
    from (select coalesce(${event_log.data} ->> '$.email', ${event_log.user_email}) as email,
      ${event_log.data} ->> '$.user_id' as user_id) recipient
    where recipient.email is not null)
  else (select json_group_array(json_patch(json_object('email', ${users.email}, 'user_id', ${users.id}),
      json_object('name', nullif(${users.first_name}, ''))))
    from ${memberships} cross join ${users} on ${users.id} = ${memberships.user_id} where ${owners}) end`;

/** The statements that turn identity's events into deliveries. */
export const outbox = createEventStatements(event_log, {
  service: "identity",
  frequentTypes,
  company,
  actorEmail: event_log.user_email,
  posts: { types: mailedEvents, payload, recipients },
});
