import { createEventLog } from "../../kit/actions/store/event-log-reads";

/** Reads of the event log. */
export const eventLog = createEventLog({ emailColumn: "actor_email" });
