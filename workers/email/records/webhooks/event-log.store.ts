import { event_log, frequentTypes } from "../../../../db/email/schema";
import { createEventLog } from "../../../kit/webhooks/event-store/event-log.store";

/** The statements that read the event log. */
export const eventLog = createEventLog(event_log, { actorEmail: event_log.actor_email, frequentTypes });
