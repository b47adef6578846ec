import { event_log, frequentTypes } from "../../../../db/identity/schema";
import { createEventLog } from "../../../kit/webhooks/event-store/event-log.store";

/** The reads of the event log that webhooks mount. */
export const eventLog = createEventLog(event_log, {
  actorEmail: event_log.user_email,
  frequentTypes,
  userIndex: "event_log_user",
});
