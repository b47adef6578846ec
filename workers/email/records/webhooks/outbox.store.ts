import { sql } from "drizzle-orm";
import { event_log, frequentTypes } from "../../../../db/email/schema";
import { tableReference } from "../../../kit/db/query";
import { createSealedEventStatements } from "../../../kit/webhooks/event-store/event-statements.store";
import { client, hasCallback } from "./callback.store";

/** The statements that create deliveries to the webhooks of the company and to the service client that sent the message. */
export const outbox = createSealedEventStatements(event_log, frequentTypes, {
  from: sql`cross join ${tableReference(client)} on ${client.id} = ${event_log.client_id}`,
  where: sql`${hasCallback}`,
  id: client.id,
  name: client.name,
  host: client.callback_host,
});
