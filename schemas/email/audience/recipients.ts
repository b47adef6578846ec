import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { booleanText, companyQuery } from "../../query";

/** What happened to a recipient of a broadcast: the keys of its counts without `total`. */
export const RECIPIENT_STATUSES = [
  ...(["pending", "skipped_unsubscribed", "skipped_suppressed", "queued", "sent", "delivered"] as const),
  ...(["bounced", "complained", "cancelled", "failed"] as const),
] as const;
export type RecipientStatus = (typeof RECIPIENT_STATUSES)[number];

const status = () => z.enum(RECIPIENT_STATUSES, "invalid").optional().describe("only recipients with this status");

/** Query of `GET /api/v1/broadcasts/{id}/recipients.csv`. */
export const recipientExportQuery = lazySchema(() => companyQuery.unwrap().extend({ status: status() }));

/** Query of `GET /api/v1/broadcasts/{id}/recipients`. */
export const recipientQuery = lazySchema(() =>
  recipientExportQuery.unwrap().extend({
    reveal: booleanText().optional().describe("`true`: with the addresses, and an entry in the audit log"),
    limit: z.string().optional(),
    cursor: z.string().optional(),
  }),
);

const instant = () => z.iso.datetime();

/** Response of `GET /api/v1/broadcasts/{id}/recipients`. */
export const recipientListSchema = lazySchema(() =>
  z
    .object({
      recipients: z
        .array(
          z.object({
            email: z
              .string()
              .nullable()
              .optional()
              .describe("only with `reveal=true`; null when the address was erased"),
            email_masked: z.string(),
            user_id: z.int().nullable(),
            subscriber_id: z.int().nullable(),
            status: z.enum(RECIPIENT_STATUSES),
            message_id: z.string().nullable().describe("null for recipients without a message"),
            language: z.enum(["en", "fr"]).describe("language of the mail"),
            last_error_code: z.string().nullable(),
            accepted_at: instant().nullable().describe("when the message was created"),
            sent_at: instant().nullable(),
          }),
        )
        .describe("a page may be short or empty although more pages follow"),
      next_cursor: z.string().nullable().describe("cursor of the next page; null on the last page"),
    })
    .meta({
      examples: [
        {
          recipients: [
            {
              email_masked: "m***@aster.example",
              user_id: 7,
              subscriber_id: null,
              status: "delivered" as const,
              message_id: "msg_0b8f6c1e4f574a559d2c0d1f3f1c9a77",
              language: "en" as const,
              last_error_code: null,
              accepted_at: "2026-03-02T07:00:00.000Z",
              sent_at: "2026-03-02T07:00:01.000Z",
            },
          ],
          next_cursor: null,
        },
      ],
    }),
);
export type PublicRecipient = z.output<typeof recipientListSchema>["recipients"][number];
