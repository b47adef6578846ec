import { errorName } from "../../../kit/log";
import { acknowledge, createQueueHandler } from "../../../kit/outbox/consumer";
import { consumeFirst } from "../../../kit/webhooks/consumers/first-attempt.job";
import { help } from "../../../kit/webhooks/consumers/help.job";
import { readDrainMessage } from "../../../kit/webhooks/dispatch/messages";
import { attemptMail } from "../../mail/outbox/mail";
import { readMailMessage } from "../../mail/outbox/mail-message";
import { type IdentityServices, services } from "../../services";

/** The consumer of `webhooks-identity`, first attempts of webhooks, and of `identity-service`. */
export const runQueue = createQueueHandler("identity", services, (own, batch, servicesOf) =>
  batch.queue === "webhooks-identity"
    ? consumeFirst(own.webhooks, batch)
    : Promise.all(batch.messages.map((message) => consume(message, own, servicesOf))),
);

/**
 * A doorbell that names a mail row, or a call for help of a retry run. Each message is acknowledged by itself: one mail
 * whose attempt failed does not bring back the others.
 */
async function consume(
  message: Message<unknown>,
  own: IdentityServices,
  servicesOf: (requestId: string) => IdentityServices,
): Promise<void> {
  const call = readDrainMessage(message.body);
  const doorbell = readMailMessage(message.body);
  const mail = servicesOf(doorbell?.request_id ?? message.id);
  const { log } = mail;
  const work = async () => {
    if (call !== null) await help(own.webhooks, call);
    else if (doorbell !== null) await attemptMail(mail, doorbell.id);
    else log.error("malformed queue message dropped");
  };
  // The row is due again when its lease ends; the sweep finds it even when the queue gives up.
  await acknowledge(message, work, (error) => log.error("mail attempt failed", { cause: errorName(error) }));
}
