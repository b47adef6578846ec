import { mailedEvents } from "../../../schemas/hosting/events";
import { createOutbox } from "../../kit/webhooks/event-log/new-event.store";

/** The acting user, when they have an address (details of Document 3, 4.10). */
const recipients = `CASE WHEN e.actor_email IS NULL THEN json_array()
  ELSE json_array(json_patch(json_object('email', e.actor_email), json_object('user_id', e.user_id))) END`;

/** Deliveries of hosting's events. */
export const outbox = createOutbox({
  service: "hosting",
  company: "json_object('id', e.company_id)",
  emailColumn: "actor_email",
  email: { types: mailedEvents, payload: "e.data", recipients },
});
