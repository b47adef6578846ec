import { sql } from "drizzle-orm";
import { event_log, frequentTypes } from "../../../db/hosting/schema";
import { mailedEvents } from "../../../schemas/hosting/events";
import { actingUser, createEventStatements } from "../../kit/webhooks/event-store/event-statements.store";

const { actor_email, company_id, data, user_id } = event_log;

/** Statements that create the deliveries of hosting's events. */
export const outbox = createEventStatements(event_log, {
  service: "hosting",
  frequentTypes,
  actorEmail: actor_email,
  company: sql`json_object('id', ${company_id})`,
  posts: { types: mailedEvents, payload: data, recipients: actingUser(actor_email, user_id) },
});
