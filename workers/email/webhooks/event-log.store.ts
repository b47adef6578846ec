import { createEventLog } from "../../kit/webhooks/event-log/event-log.store";

/** Reads of the event log. */
export const eventLog = createEventLog({ emailColumn: "actor_email" });
