import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { addressPattern } from "../../text/address";
import { isLine, linePattern } from "../../text/text";
import { EMAIL_LANGUAGES } from "../content/catalog-texts";

export const SUBSCRIBER_STATUSES = ["pending", "confirmed", "unsubscribed"] as const;
export const SUBSCRIBER_SOURCES = ["form", "admin", "import"] as const;
/** `confirm`: the person gets a mail and confirms. `consented`: the company has the consent already. */
export const SUBSCRIBE_MODES = ["confirm", "consented"] as const;

/** Maximum length of a first name, in characters. */
export const MAX_FIRST_NAME = 150;
/** Maximum size of an import, in bytes of UTF-8 and in rows. */
export const IMPORT_LIMITS = { bytes: 2_097_152, rows: 10_000 } as const;

/** A first name of at most 150 characters on one line, or "". */
export const firstNameSchema = () =>
  z.string("invalid").trim().max(MAX_FIRST_NAME, "too_long").refine(isLine, "invalid").meta({ pattern: linePattern });

/** Body of `POST /api/v1/newsletters/{id}/subscribers`. The handler also validates the address. */
export const subscriberInputSchema = lazySchema(() =>
  z
    .object({
      email: z.string("invalid_format").trim().min(1, "required").meta({ pattern: addressPattern }),
      first_name: firstNameSchema().default(""),
      language: z
        .string("invalid")
        .max(64, "too_long")
        .nullish()
        .describe("`en` or `fr`; any other value is the default of the newsletter"),
      mode: z.enum(SUBSCRIBE_MODES, "invalid").default("confirm"),
    })
    .meta({ examples: [{ email: "mina@aster.example", first_name: "Mina", language: "en", mode: "confirm" }] }),
);

const exampleSubscriber = {
  id: 481,
  email: "mina@aster.example",
  first_name: "Mina",
  language: "en" as const,
  status: "confirmed" as const,
  source: "form" as const,
  created_at: "2026-01-31T09:30:00.000Z",
  confirmed_at: "2026-01-31T09:34:00.000Z",
  unsubscribed_at: null,
  consent: { at: "2026-01-31T09:34:00.000Z", ip_hash: "5d".repeat(32), text_version: "9f".repeat(32) },
};

/** A subscriber. */
export const subscriberSchema = lazySchema(() =>
  z
    .object({
      id: z.int(),
      email: z.string().describe("masked after the address was wiped"),
      first_name: z.string(),
      language: z.enum(EMAIL_LANGUAGES),
      status: z.enum(SUBSCRIBER_STATUSES),
      source: z.enum(SUBSCRIBER_SOURCES),
      created_at: z.iso.datetime(),
      confirmed_at: z.iso.datetime().nullable(),
      unsubscribed_at: z.iso.datetime().nullable(),
      consent: z
        .object({ at: z.iso.datetime(), ip_hash: z.string().nullable(), text_version: z.string() })
        .nullable()
        .describe("the person's confirmation; null when there is none, or when the company stated the consent"),
    })
    .meta({ id: "Subscriber", examples: [exampleSubscriber] }),
);

/** Response of `GET /api/v1/newsletters/{id}/subscribers`. */
export const subscriberListSchema = lazySchema(() =>
  z
    .object({
      count: z.int().optional().describe("missing after a cursor"),
      page: z.int().optional().describe("missing after a cursor"),
      page_size: z.int(),
      results: z.array(subscriberSchema.unwrap()),
      next_cursor: z.string().nullable(),
    })
    .meta({ examples: [{ count: 1, page: 1, page_size: 50, results: [exampleSubscriber], next_cursor: null }] }),
);

export const SUBSCRIBE_OUTCOMES = ["sent", "added", "existing", "throttled", "suppressed"] as const;

/** Response of `POST /api/v1/newsletters/{id}/subscribers`. */
export const subscribedSchema = lazySchema(() =>
  z
    .object({
      outcome: z.enum(SUBSCRIBE_OUTCOMES),
      subscriber: subscriberSchema.unwrap().nullable().describe("null for a suppressed address that is not stored"),
    })
    .meta({ examples: [{ outcome: "added", subscriber: exampleSubscriber }] }),
);

/** Body of `POST /api/v1/newsletters/{id}/subscribers/import`. */
export const importInputSchema = lazySchema(() =>
  z
    .object({
      csv: z
        .string("invalid")
        .describe("RFC 4180; columns `email`, `first_name`, `language`, or a header that names them"),
      mode: z.enum(SUBSCRIBE_MODES, "invalid").default("confirm"),
    })
    .meta({ examples: [{ csv: "email,first_name,language\nmina@aster.example,Mina,en\n", mode: "consented" }] }),
);

/** Response of an import: the number of addresses by what happened to them. */
export const importedSchema = lazySchema(() =>
  z
    .object({
      added: z.int(),
      existing: z.int(),
      invalid: z.int(),
      skipped_unsubscribed: z.int(),
      skipped_suppressed: z.int(),
      throttled: z.int(),
    })
    .meta({
      examples: [{ added: 120, existing: 4, invalid: 1, skipped_unsubscribed: 2, skipped_suppressed: 0, throttled: 0 }],
    }),
);
