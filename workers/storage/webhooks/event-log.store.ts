import { event_log, frequentTypes } from "../../../db/storage/schema";
import { createEventLog } from "../../kit/webhooks/event-store/event-log.store";

/** The event log statements that the webhook routes use. */
export const eventLog = createEventLog(event_log, { actorEmail: event_log.actor_email, frequentTypes });
