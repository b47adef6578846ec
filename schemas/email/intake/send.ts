import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { addressPattern } from "../../text/address";

const languageSchema = () => z.enum(["en", "fr"]);
const laneSchema = () => z.enum(["auth", "transactional", "bulk"]);

/** The time zone of a recipient, in which their mail shows times. */
export const timeZoneSchema = () =>
  z
    .string()
    .max(64)
    .regex(/^(?:[A-Za-z][A-Za-z0-9_+/-]*)?$/)
    .nullish()
    .describe('IANA time zone in which the mail shows times; default `UTC`, also for ""');
const recipientIdSchema = () => z.union([z.int().min(1), z.string().regex(/^[1-9][0-9]{0,14}$/)]).nullable();

/** The statuses of a message. */
export const MESSAGE_STATUSES = [
  "queued",
  "sending",
  "retrying",
  "sent",
  "delivered",
  "delivery_delayed",
  "bounced",
  "complained",
  "failed",
  "expired",
  "suppressed",
  "cancelled",
] as const;

/** A recipient of a direct send. */
export const recipientSchema = lazySchema(() =>
  z.object({
    email: z.string().max(254).meta({ pattern: addressPattern }),
    user_id: recipientIdSchema().optional(),
    time_zone: timeZoneSchema(),
  }),
);

const commonFields = () => ({
  company_id: z.int().min(1),
  template_key: z.string().min(1),
  language: z
    .enum([...languageSchema().options, ""])
    .nullish()
    .describe('default `en`, also for ""'),
  lane: z.enum(["auth", "transactional"]).nullish().describe("the lane of the template, which is the default"),
  ttl_seconds: z.int().min(1).nullish(),
  idempotency_key: z.string().regex(/\S/).max(200).nullish(),
  use_platform_sender: z.boolean().nullish(),
});
const exampleFields = {
  company_id: 42,
  template_key: "identity.user.created",
  language: "en",
  idempotency_key: "user-7-created",
} as const;
const variablesSchema = () => z.record(z.string(), z.unknown()).nullish();

/**
 * Body of `POST /api/v1/send`, only for the OpenAPI document. The handlers of sends validate the fields themselves, because
 * the contract defines the order and the codes of the checks.
 */
export const sendBodySchema = lazySchema(() =>
  z
    .object({
      ...commonFields(),
      to: z.array(recipientSchema.unwrap()).min(1).max(50),
      variables: variablesSchema(),
    })
    .meta({
      examples: [
        {
          ...exampleFields,
          to: [{ email: "mina@example.com", user_id: 7 }],
          variables: { company_name: "Aster Labs", recipient_email: "mina@example.com" },
        },
      ],
    }),
);

/** Body of `POST /api/v1/send/batch`, only for the OpenAPI document. */
export const sendBatchBodySchema = lazySchema(() =>
  z
    .object({
      ...commonFields(),
      items: z
        .array(z.object({ to: recipientSchema.unwrap(), variables: variablesSchema() }))
        .min(1)
        .max(500),
    })
    .meta({
      examples: [
        { ...exampleFields, items: [{ to: { email: "mina@example.com" }, variables: { company_name: "Aster Labs" } }] },
      ],
    }),
);

/** One message in the response to a send or an event. It has exactly these seven fields. */
export const messageItemSchema = lazySchema(() =>
  z
    .object({
      id: z.string(),
      to: z.string(),
      status: z.enum(MESSAGE_STATUSES),
      lane: laneSchema(),
      template_version: z.int().nullable(),
      language: languageSchema(),
      expires_at: z.iso.datetime().nullable(),
    })
    .meta({ id: "MessageItem" }),
);
export type MessageItem = z.output<typeof messageItemSchema>;

/** Response of `POST /api/v1/send`. */
export const sendAnswerSchema = lazySchema(() =>
  z.object({ idempotent_replay: z.boolean(), messages: z.array(messageItemSchema.unwrap()) }).meta({
    examples: [
      {
        idempotent_replay: false,
        messages: [
          {
            id: "msg_0b8f6c1e4f574a559d2c0d1f3f1c9a77",
            to: "mina@example.com",
            status: "queued",
            lane: "transactional",
            template_version: null,
            language: "en",
            expires_at: null,
          },
        ],
      },
    ],
  }),
);

/** Response of `POST /api/v1/send/batch`. */
export const sendBatchAnswerSchema = lazySchema(() =>
  z
    .object({
      idempotent_replay: z.boolean(),
      accepted: z.array(z.object({ index: z.int(), id: z.string(), status: z.enum(MESSAGE_STATUSES) })),
      rejected: z.array(
        z.object({
          index: z.int(),
          error_code: z.string(),
          retry_after: z.int().min(1).optional().describe("for rate limits: seconds until the item can be sent"),
        }),
      ),
    })
    .meta({
      examples: [
        {
          idempotent_replay: false,
          accepted: [{ index: 0, id: "msg_0b8f6c1e4f574a559d2c0d1f3f1c9a77", status: "queued" }],
          rejected: [
            { index: 1, error_code: "recipient_invalid" },
            { index: 2, error_code: "recipient_rate_limited", retry_after: 312 },
          ],
        },
      ],
    }),
);
export type SendBatchAnswer = z.output<typeof sendBatchAnswerSchema>;
