import * as z from "zod";
import { messageReader } from "../../../kit/outbox/queue-message";

// A message carries one id, unlike those of other services, so that a failed mail is retried alone. A failed enqueue is an
// error, so that the queue redelivers the message instead of waiting for the sweep.

/** Reads the id of a mail row, never its content, from a message of `identity-service`; null for any other message. */
export const readMailMessage = messageReader(["mail"], () => ({
  company_id: z.int().min(1).nullish(),
  id: z.uuid(),
  request_id: z.string(),
}));

export type MailMessage = NonNullable<ReturnType<typeof readMailMessage>>;
