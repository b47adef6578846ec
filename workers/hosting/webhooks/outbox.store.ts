import { sql } from "drizzle-orm";
import { event_log, frequentTypes } from "../../../db/hosting/schema";
import { mailedEvents } from "../../../schemas/hosting/events";
import { createEventStatements } from "../../kit/webhooks/event-log/event-statements.store";

const { actor_email, company_id, data, user_id } = event_log;

/** The acting user, when they have an address. */
const recipients = sql`case when ${actor_email} is null then json_array()
  else json_array(json_patch(json_object('email', ${actor_email}), json_object('user_id', ${user_id}))) end`;

/** Deliveries of hosting's events. */
export const outbox = createEventStatements(event_log, {
  service: "hosting",
  frequentTypes,
  actorEmail: actor_email,
  company: sql`json_object('id', ${company_id})`,
  posts: { types: mailedEvents, payload: data, recipients },
});
