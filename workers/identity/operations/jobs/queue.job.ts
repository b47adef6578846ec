import { errorName } from "../../../kit/log";
import { acknowledge, createQueueHandler, isFromQueue } from "../../../kit/outbox/consumer";
import { consumeFirst } from "../../../kit/webhooks/consumers/first-attempt.job";
import { runHelper } from "../../../kit/webhooks/consumers/help.job";
import { readDrainMessage } from "../../../kit/webhooks/dispatch/messages";
import { attemptMail } from "../../mail/outbox/mail";
import { readMailMessage } from "../../mail/outbox/mail-message";
import { type IdentityServices, services } from "../../services";

/** Consumes the queues `webhooks-identity` (first webhook attempts) and `identity-service` (mails and drain messages). */
export const runQueue = createQueueHandler("identity", services, (batchServices, batch, servicesOf) =>
  isFromQueue(batch, "webhooks-identity")
    ? consumeFirst(batchServices.webhooks, batch)
    : Promise.all(batch.messages.map((message) => consume(message, batchServices, servicesOf))),
);

/**
 * Handles a mail message or a drain message of a retry run. Acknowledges each message separately, so that a failed mail does
 * not redeliver the others.
 */
async function consume(
  message: Message<unknown>,
  batchServices: IdentityServices,
  servicesOf: (requestId: string) => IdentityServices,
): Promise<void> {
  const drainMessage = readDrainMessage(message.body);
  const mailMessage = readMailMessage(message.body);
  const mail = servicesOf(mailMessage?.request_id ?? message.id);
  const { log } = mail;
  const work = async () => {
    if (drainMessage !== null) await runHelper(batchServices.webhooks, drainMessage);
    else if (mailMessage !== null) await attemptMail(mail, mailMessage.id);
    else log.error("malformed queue message dropped");
  };
  // The mail is due again when its lease ends, so the job `retry_mail` retries it even after the queue's last attempt.
  await acknowledge(message, work, (error) => log.error("mail attempt failed", { cause: errorName(error) }));
}
