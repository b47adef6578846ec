import * as z from "zod";
import { lazySchema } from "../lazy-schema";
import { companyPageQuery, pageSchema } from "../page";
import { booleanText, cursorShape, timeText } from "../query";
import { isLine, linesPattern, textPattern } from "../text/text";
import { webUrlPattern } from "../text/web-url";

// In a required field, an empty text causes the error `required`, as a missing field does.
const company_id = () => z.int("invalid").min(1, "invalid").optional();
const name = () =>
  z
    .string("invalid")
    .trim()
    .refine((text) => text !== "", "required")
    .max(200, "too_long")
    .refine((text) => text === "" || isLine(text), "invalid")
    .meta({ pattern: textPattern });
const description = () =>
  z
    .string("invalid")
    .trim()
    .max(2000, "too_long")
    .refine((text) => isLine(text.replace(/[\n\r\t]/g, "")), "invalid")
    .meta({ pattern: linesPattern });
const required = () => z.string("invalid").refine((text) => text !== "", "required");
const url = () => required().meta({ maxLength: 2047, pattern: webUrlPattern });
const flag = () => z.boolean("invalid");
const enabled = () => flag();
const allow_private_urls = () => flag().describe("staff only");

/** A signing secret. Its content is validated separately. */
const secret = () =>
  z
    .string("invalid")
    .meta({ maxLength: 256, description: "`whsec_` and base64, or any text; generated when missing or empty" });

/** The value of the Authorization header: visible ASCII, with spaces only between characters. `""` removes the header. */
const authorization_header = () =>
  z
    .string("invalid")
    .max(4096, "too_long")
    .regex(/^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/, "invalid")
    .describe('sent to the target; `""` removes it');

/** Body of `POST /api/v1/actions/rules`. Event type, target and secret are validated separately. */
export const ruleBody = lazySchema(() =>
  z
    .object({
      company_id: company_id(),
      name: name(),
      event_type: required(),
      url: url(),
      description: description().default(""),
      enabled: enabled().default(true),
      secret: secret().default(""),
      authorization_header: authorization_header().default(""),
      allow_private_urls: allow_private_urls().default(false),
    })
    .meta({
      examples: [
        { name: "Deploy bot", event_type: "hosting.app.created", url: "https://hooks.example.com/x", enabled: true },
      ],
    }),
);

/** Returns `ruleBody` with these event types, for the OpenAPI document of a service. */
export const ruleBodyOf = (types: readonly string[]) =>
  lazySchema(() => {
    const body = ruleBody.unwrap();
    const examples = body.meta()?.examples as z.input<typeof body>[];
    return body
      .extend({ event_type: z.enum(types) })
      .meta({ examples: examples.map((example) => ({ ...example, event_type: types[0] ?? "" })) });
  });

/** Body of `PATCH /api/v1/actions/rules/{id}`. `event_type` cannot be changed. */
export const ruleChange = lazySchema(() =>
  z
    .object({
      company_id: company_id(),
      name: name().optional(),
      event_type: z
        .unknown()
        .refine((value) => value === undefined, "immutable")
        .optional()
        .meta({ not: {}, description: "cannot be changed" }),
      url: url().optional(),
      description: description().optional(),
      enabled: enabled().optional(),
      secret: secret()
        .optional()
        .describe("replaces the secret immediately and is not returned; missing or empty keeps it"),
      authorization_header: authorization_header().optional(),
      allow_private_urls: allow_private_urls().optional(),
    })
    .meta({ examples: [{ enabled: false }] }),
);

/** Body of `POST /api/v1/actions/rules/{id}/rotate-secret`, which may be empty. */
export const rotateBody = lazySchema(() =>
  z
    .object({
      company_id: company_id(),
      overlap_hours: z
        .int("invalid")
        .min(0, "out_of_range")
        .max(168, "out_of_range")
        .default(0)
        .describe("hours during which the old secret also signs"),
      secret: secret().default(""),
    })
    .meta({ examples: [{ overlap_hours: 24 }] }),
);

const isoTime = () => z.string("invalid").pipe(timeText()).meta({ format: "date-time" });

/** Which deliveries a requeue sends, by status. `missing` sends the events of the subscribed type that have no delivery. */
export const requeueStatuses = ["dead", "failed", "all", "missing"] as const;

/**
 * Body of `POST /api/v1/actions/rules/{id}/requeue`, which may be empty. `since` and `until` compare `created_at`; the default
 * is the last 7 days.
 */
export const requeueBody = lazySchema(() =>
  z
    .object({
      company_id: company_id(),
      status: z
        .enum(requeueStatuses, "invalid")
        .default("dead")
        .describe("`missing`: events of the rule's type without a delivery for the rule"),
      since: isoTime().optional().describe("inclusive"),
      until: isoTime().optional().describe("exclusive"),
      dry_run: flag().default(false).describe("counts only"),
      cursor: z
        .string("invalid")
        .optional()
        .meta({ ...cursorShape, description: "`next_cursor` of the previous call; only for `missing`" }),
    })
    .meta({ examples: [{ status: "dead", since: "2026-11-20T00:00:00.000Z" }] }),
);

/** Response of the requeue. If `complete` is false, more deliveries are left and another request continues. */
export const requeueAnswer = lazySchema(() =>
  z
    .object({
      requeued: z.int().describe("with `dry_run`, the number that would be requeued"),
      complete: z.boolean(),
      next_cursor: z.string().nullable().optional().describe("cursor of the next call; only for `missing`"),
    })
    .meta({ examples: [{ requeued: 12, complete: true }] }),
);

/** Filters of `GET /api/v1/actions/rules`. */
export const ruleFilter = lazySchema(() =>
  z.object({
    event_type: z.string("invalid").optional(),
    enabled: booleanText().optional(),
    is_failing: booleanText().optional().describe("`true`: only rules with the health `failing`; `false`: all others"),
  }),
);

/** Query of `GET /api/v1/actions/rules`. */
export const ruleQueryOf = (types: readonly string[]) =>
  lazySchema(() =>
    z.object({ ...ruleFilter.unwrap().shape, event_type: z.enum(types).optional(), ...companyPageQuery() }),
  );

const time = () => z.iso.datetime();
const ruleShape = lazySchema(() =>
  z.object({
    id: z.int(),
    company_id: z.int(),
    name: z.string(),
    description: z.string(),
    event_type: z.string(),
    url: z.string(),
    enabled: z.boolean(),
    action_kind: z.literal("webhook"),
    config: z.object({
      url: z.string(),
      insecure: z.boolean().describe("the URL is http"),
      has_secret: z.boolean(),
      secret_hint: z.string().describe("the last 4 characters, `****` of a short secret"),
      previous_secret_expires_at: time().nullable(),
      authorization_header_set: z.boolean(),
      allow_private_urls: z.boolean(),
    }),
    health: z.enum(["unknown", "ok", "degraded", "failing"]),
    health_reason: z.enum(["failing_24h", "gone", "secret_unavailable"]).nullable(),
    failing_since: time().nullable(),
    last_success_at: time().nullable(),
    last_failure_at: time().nullable(),
    created_at: time(),
    updated_at: time(),
  }),
);

const exampleRule: z.output<typeof ruleShape> = {
  id: 5,
  company_id: 10,
  name: "Deploy bot",
  description: "",
  event_type: "hosting.app.created",
  url: "https://hooks.example.com/x",
  enabled: true,
  action_kind: "webhook",
  config: {
    url: "https://hooks.example.com/x",
    insecure: false,
    has_secret: true,
    secret_hint: "a1B=",
    previous_secret_expires_at: null,
    authorization_header_set: false,
    allow_private_urls: false,
  },
  health: "ok",
  health_reason: null,
  failing_since: null,
  last_success_at: null,
  last_failure_at: null,
  created_at: "2026-10-07T10:00:00.000Z",
  updated_at: "2026-10-07T10:00:00.000Z",
};

/** A webhook subscription without its secrets. */
export const ruleSchema = lazySchema(() => ruleShape.unwrap().meta({ id: "Rule", examples: [exampleRule] }));

/** Response to creating a subscription or rotating its secret. Only these responses contain the secret. */
export const ruleWithSecretSchema = lazySchema(() =>
  ruleShape
    .unwrap()
    .extend({ secret: z.string() })
    .meta({
      id: "RuleWithSecret",
      examples: [{ ...exampleRule, secret: "whsec_c3VwZXItc2VjcmV0LWtleS1tYXRlcmlhbCEh" }],
    }),
);

/** Response of `GET /api/v1/actions/rules`. */
export const rulePage = pageSchema(ruleSchema, 100);

/** Response of `POST /api/v1/actions/rules/{id}/send-test` when the target accepted the sample. */
export const testAnswer = lazySchema(() =>
  z
    .object({
      ok: z.literal(true),
      webhook_id: z.string(),
      event_type: z.string(),
      http_status: z.int(),
      duration_ms: z.int(),
    })
    .meta({
      examples: [
        {
          ok: true,
          webhook_id: "0c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11",
          event_type: "hosting.app.created",
          http_status: 204,
          duration_ms: 84,
        },
      ],
    }),
);
