import * as z from "zod";
import { messageReader } from "../../../kit/outbox/queue-message";

// Each message has the id of one mail, unlike the messages of other services, so that the queue retries a failed mail alone.
// An error while enqueueing is thrown, so that the queue redelivers the current message and the mail does not wait for the
// sweep.

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
