import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { addressPattern, namedAddressPattern } from "../../text/address";
import { linePattern } from "../../text/text";
import { attachmentSchema } from "./attachments";
import { MESSAGE_STATUSES, timeZoneSchema } from "./send";

/** Maximum number of emails in a batch. */
export const MAX_EMAILS = 100;

/** An address of at most 254 characters, alone or after a name of at most 128. */
const mailboxSchema = lazySchema(() =>
  z
    .union([
      z.string().max(254).meta({ pattern: addressPattern }),
      z.string().max(384).meta({ pattern: namedAddressPattern }),
    ])
    .meta({
      id: "Mailbox",
      description: "an address, or a name and an address",
      example: "Mina Vale <mina@example.com>",
    }),
);
const mailbox = () => mailboxSchema.unwrap();
const tagPart = () => z.string().regex(/^[A-Za-z0-9_-]{1,256}$/);
const oneOrMore = (max: number) => z.union([mailbox(), z.array(mailbox()).min(1).max(max)]);

const headerNames = "[Xx]-[A-Za-z0-9-]{1,60}|In-Reply-To|References|Importance|Priority|Keywords|Comments|Feedback-ID";

/** Headers of a mail. Names are accepted in any case. */
const headers = () =>
  z
    .record(
      z.string(),
      z
        .string()
        .max(900)
        .regex(/^[ -~]*$/),
    )
    .meta({ maxProperties: 20, propertyNames: { pattern: `^(?:${headerNames})$` } });

const fields = () => ({
  from: mailbox(),
  to: oneOrMore(50),
  subject: z.string().max(998).meta({ pattern: linePattern }).nullish().describe("required without a template"),
  html: z.string().nullish().describe("without a template, `html` or `text` is required"),
  text: z.string().nullish(),
  reply_to: z.union([mailbox(), z.array(mailbox()).max(1), z.literal("")]).nullish(),
  headers: headers().nullish(),
  tags: z
    .array(z.object({ name: tagPart(), value: tagPart().nullish() }))
    .max(10)
    .nullish(),
  scheduled_at: z.iso.datetime({ offset: true }).nullish(),
  template_key: z.string().min(1).nullish().describe("a mail of the catalog instead of `subject`, `html` and `text`"),
  variables: z.record(z.string(), z.unknown()).nullish().describe("only with `template_key`"),
  time_zone: timeZoneSchema(),
  language: z.enum(["en", "fr", ""]).nullish().describe("with `template_key`: the language of the mail"),
});
const example = {
  from: "Aster Labs <hello@aster.example>",
  to: ["mina@example.com"],
  subject: "Your order 1042",
  html: "<p>Thank you for your order.</p>",
  tags: [{ name: "category", value: "order" }],
};

/**
 * Body of `POST /api/v1/emails`, only for the OpenAPI document: the format of Resend. intake/emails/email-input.ts validates the
 * body.
 */
export const emailBodySchema = lazySchema(() =>
  z
    .object({ ...fields(), attachments: z.array(attachmentSchema.unwrap()).max(10).nullish() })
    .meta({ id: "EmailInput", examples: [example] }),
);

/** Body of `POST /api/v1/emails/batch`, only for the OpenAPI document. */
export const emailsBodySchema = lazySchema(() =>
  z.object({ emails: z.array(z.object(fields())).min(1).max(MAX_EMAILS) }).meta({
    examples: [{ emails: [example] }],
    description: "The body may also be the list itself, as in Resend's API",
  }),
);

export const scheduleBodySchema = lazySchema(() =>
  z
    .object({ scheduled_at: z.iso.datetime({ offset: true }) })
    .meta({ examples: [{ scheduled_at: "2026-01-31T09:30:00Z" }] }),
);

const exampleId = "0b8f6c1e-4f57-4a55-9d2c-0d1f3f1c9a00";

export const emailIdSchema = lazySchema(() =>
  z.object({ id: z.uuid() }).meta({ id: "EmailId", examples: [{ id: exampleId }] }),
);

export const emailIdsSchema = lazySchema(() =>
  z
    .object({
      data: z.array(z.object({ id: z.uuid() })),
      errors: z
        .array(z.object({ index: z.int(), message: z.string() }))
        .optional()
        .describe("only with `x-batch-validation: permissive`: the emails that were rejected"),
    })
    .meta({ examples: [{ data: [{ id: exampleId }] }] }),
);

export const changedEmailSchema = lazySchema(() =>
  z
    .object({ object: z.literal("email"), id: z.uuid() })
    .meta({ id: "ChangedEmail", examples: [{ object: "email", id: exampleId }] }),
);

const lastEventSchema = () =>
  z.enum([
    "queued",
    "scheduled",
    "sent",
    "delivered",
    "delivery_delayed",
    "bounced",
    "complained",
    "failed",
    "suppressed",
    "canceled",
  ]);

/** Response of `GET /api/v1/emails/{id}`. */
export const emailSchema = lazySchema(() =>
  z
    .object({
      object: z.literal("email"),
      id: z.uuid(),
      to: z.array(z.string()),
      from: z.string(),
      created_at: z.iso.datetime(),
      subject: z.string().describe('"" when the content is deleted'),
      html: z.string().nullable(),
      text: z.string().nullable(),
      cc: z.null(),
      bcc: z.null(),
      reply_to: z.array(z.string()).nullable(),
      last_event: lastEventSchema(),
      scheduled_at: z.iso.datetime().nullable(),
      tags: z.array(z.object({ name: z.string(), value: z.string() })),
      messages: z.array(
        z.object({
          id: z.string(),
          to: z.string(),
          status: z.enum(MESSAGE_STATUSES),
          last_event: lastEventSchema(),
        }),
      ),
    })
    .meta({
      id: "Email",
      examples: [
        {
          object: "email",
          id: exampleId,
          to: ["mina@example.com"],
          from: "Aster Labs <hello@aster.example>",
          created_at: "2026-01-31T09:30:00.000Z",
          subject: "",
          html: null,
          text: null,
          cc: null,
          bcc: null,
          reply_to: null,
          last_event: "sent",
          scheduled_at: null,
          tags: [{ name: "category", value: "order" }],
          messages: [
            {
              id: "msg_0b8f6c1e4f574a559d2c0d1f3f1c9a00",
              to: "mina@example.com",
              status: "sent",
              last_event: "sent",
            },
          ],
        },
      ],
    }),
);

/** The body of every error below `/api/v1/emails`: Resend's members, and those of this service's errors. */
export const resendProblemSchema = lazySchema(() =>
  z
    .object({
      statusCode: z.int(),
      name: z.string(),
      message: z.string(),
      error_code: z.string(),
      field_errors: z.record(z.string(), z.array(z.string())).optional(),
      request_id: z.string(),
    })
    .loose()
    .meta({
      id: "ResendProblem",
      examples: [
        {
          statusCode: 400,
          name: "validation_error",
          message: "The request is not valid: to (required).",
          error_code: "validation_failed",
          field_errors: { to: ["required"] },
          request_id: "5f0c2a52-8d0e-4a3b-9c57-1d2e3f4a5b6c",
        },
      ],
    }),
);
