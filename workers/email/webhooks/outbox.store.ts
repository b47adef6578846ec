import { createSealedOutbox } from "../../kit/webhooks/event-log/new-event.store";
import { IS_CALLED_BACK } from "../clients/key.store";

/** Deliveries of email's events: to the company's rules, and to the service client that made the message. */
export const outbox = createSealedOutbox({
  from: `CROSS JOIN service_clients c ON c.id = e.client_id WHERE ${IS_CALLED_BACK}`,
  ...{ id: "c.id", name: "c.name", host: "c.callback_host" },
});
