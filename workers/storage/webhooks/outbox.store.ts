import { eq, type SQLWrapper, sql } from "drizzle-orm";
import { company_quotas, event_log, frequentTypes } from "../../../db/storage/schema";
import { mailedEvents } from "../../../schemas/storage/events";
import { actingUser, createEventStatements } from "../../kit/webhooks/event-store/event-statements.store";

const { actor_email, company_id, data, event_type, user_id } = event_log;

/** The company object of an event's envelope, with the names in storage. They are empty before the company's first use. */
const company = sql`coalesce((select json_object('id', ${company_quotas.company_id}, 'name', ${company_quotas.name}, 'slug', ${company_quotas.slug})
  from ${company_quotas} where ${eq(company_quotas.company_id, company_id)}), json_object('id', ${company_id}, 'name', '', 'slug', ''))`;

/** The page of the file in the administration, or of its bucket when the file is gone. */
const link = (console: SQLWrapper) => sql`${console} || '/storage/' || (${data} ->> '$.bucket_name')
  || case ${event_type} when 'storage.object.uploaded' then '/' || (${data} ->> '$.object_id') else '' end`;

/** The statements that turn storage's events into deliveries. */
export const outbox = createEventStatements(event_log, {
  service: "storage",
  frequentTypes,
  actorEmail: actor_email,
  company,
  posts: {
    types: mailedEvents,
    payload: data,
    recipients: actingUser(actor_email, user_id),
    actorName: sql`${actor_email}`,
    link,
  },
});
