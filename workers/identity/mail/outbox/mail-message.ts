import * as z from "zod";
import { messageReader } from "../../../kit/outbox/queue-message";

// One id in a message and not the list that other services ring with: a mail that fails is given again alone. A queue that
// refuses a ring is an error here, so that the consumer has its message given again and not only the sweep comes.

/** The id of a mail row, never its content, in a message of `identity-service`; null for any other message. */
export const readMailMessage = messageReader(["mail"], () => ({
  company_id: z.int().min(1).nullish(),
  id: z.uuid(),
  request_id: z.string(),
}));

export type MailMessage = NonNullable<ReturnType<typeof readMailMessage>>;
