import { type SQLWrapper, sql } from "drizzle-orm";
import { event_log, frequentTypes } from "../../../db/hosting/schema";
import { mailedEvents } from "../../../schemas/hosting/events";
import { eventIdOf } from "../../kit/webhooks/event-store/event-log.store";
import { actingUser, createEventStatements } from "../../kit/webhooks/event-store/event-statements.store";

const { actor_email, company_id, data, event_type, user_id } = event_log;

/** The address of the app once it is live, else its page in the administration. The event log shows what happened to a deleted app. */
const link = (console: SQLWrapper) => sql`case ${event_type}
  when 'hosting.deployment.succeeded' then ${data} ->> '$.url'
  when 'hosting.app.created' then ${console} || '/apps/' || (${data} ->> '$.app_id')
  when 'hosting.app.deleted' then ${console} || '/events/' || ${eventIdOf(event_log)}
  else ${console} || '/apps/' || (${data} ->> '$.app_id') || '/deployments/' || (${data} ->> '$.deployment_id') end`;

/** Statements that create the deliveries of hosting's events. */
export const outbox = createEventStatements(event_log, {
  service: "hosting",
  frequentTypes,
  actorEmail: actor_email,
  company: sql`json_object('id', ${company_id})`,
  posts: {
    types: mailedEvents,
    payload: data,
    recipients: actingUser(actor_email, user_id),
    actorName: sql`${actor_email}`,
    link,
  },
});
