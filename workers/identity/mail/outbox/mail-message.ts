import * as z from "zod";
import { messageReader } from "../../../kit/outbox/queue-message";

// Each message has the id of one mail, so that the queue retries a failed mail alone. (Messages of other services have
// several ids.) If the next attempt of a mail cannot be enqueued, the consumer throws. The queue then redelivers the current
// message, so the mail does not wait for the job `retry_mail`.

/**
 * Parses a mail message of the queue `identity-service`. The message has the id of a mail row, never the mail's content.
 * Returns null for any other message.
 */
export const readMailMessage = messageReader(["mail"], () => ({
  company_id: z.int().min(1).nullish(),
  id: z.uuid(),
  request_id: z.string(),
}));

export type MailMessage = NonNullable<ReturnType<typeof readMailMessage>>;
