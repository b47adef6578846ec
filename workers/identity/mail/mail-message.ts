import * as z from "zod";

/** A doorbell of the queue `identity-service`: the id of a mail row, never its content. */
export const mailMessageSchema = z.object({
  v: z.literal(1),
  kind: z.literal("mail"),
  id: z.uuid(),
  request_id: z.string(),
});

export type MailMessage = z.output<typeof mailMessageSchema>;
