import { event_log, frequentTypes } from "../../../db/hosting/schema";
import { createEventLog } from "../../kit/webhooks/event-store/event-log.store";

/** Statements that read the event log. */
export const eventLog = createEventLog(event_log, { actorEmail: event_log.actor_email, frequentTypes });
