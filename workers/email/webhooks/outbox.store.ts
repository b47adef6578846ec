import { createSealedOutbox } from "../../kit/webhooks/event-log/new-event.store";

// Whether events of messages of the client c go to its callback URL.
const IS_CALLED_BACK =
  "c.active = 1 AND c.callback_url IS NOT NULL AND c.callback_host IS NOT NULL AND c.callback_secret_enc IS NOT NULL";

/** Deliveries of email's events: to the company's rules, and to the service client that made the message. */
export const outbox = createSealedOutbox({
  from: `CROSS JOIN service_clients c ON c.id = e.client_id WHERE ${IS_CALLED_BACK}`,
  ...{ id: "c.id", name: "c.name", host: "c.callback_host" },
});
