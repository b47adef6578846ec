import { event_log, frequentTypes } from "../../../../db/identity/schema";
import { createEventLog } from "../../../kit/webhooks/event-store/event-log.store";

/** The event log statements that the webhook routes use. */
export const eventLog = createEventLog(event_log, {
  actorEmail: event_log.user_email,
  frequentTypes,
  userIndex: "event_log_user",
  hasRequestIds: true,
});
