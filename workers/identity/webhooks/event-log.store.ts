import { createEventLog } from "../../kit/webhooks/event-log/event-log.store";

/** The reads of the event log that webhooks mount. */
export const eventLog = createEventLog({ emailColumn: "user_email", userIndex: "event_log_user" });
