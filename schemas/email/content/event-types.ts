import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { lineSchema, linesPattern } from "../../text/text";
import { VALUE_TYPES } from "./catalog";
import { EMAIL_LANGUAGES } from "./catalog-texts";
import { mailLine } from "./documents";
import { isReservedPrefix, MAX_EVENT_TYPE_LENGTH, OWN_EVENT_TYPE } from "./prefixes";
import { PRESET_PREFIX, PRESETS } from "./presets";

/** Maximum number of event types per company, of variables per event type, and of fields per list. */
export const MAX_EVENT_TYPES = 200;
const MAX_VARIABLES = 50;
const MAX_FIELDS = 20;
/** Names that every event has, or that documents use for the items of a list and for the main link. */
const RESERVED_NAMES = ["action_url", "company_name", "item", "recipient_email", "recipient_name", "system"];

/** A text in English and French, of which one may be missing. A missing text is copied from the other language. */
const inLanguages = <T extends z.ZodType>(text: () => T) =>
  z
    .object({ en: text().optional(), fr: text().optional() }, "invalid")
    .refine(({ en, fr }) => en !== undefined || fr !== undefined, "required")
    .meta({ minProperties: 1 });

const labels = () => inLanguages(() => lineSchema(120));

/** Several lines, or "". */
const paragraph = () =>
  z
    .string("invalid")
    .trim()
    .max(2000, "too_long")
    .refine((text) => !/[^\P{Cc}\n\r\t]|\p{Cs}/u.test(text), "invalid")
    .meta({ pattern: linesPattern });

const amount = () => z.union([z.number(), z.string().regex(/^-?\d{1,15}(\.\d{1,6})?$/)], "invalid");

/** The samples of the value types except lists. */
export const SAMPLES = {
  text: () => z.string("invalid").trim().min(1, "blank").max(500, "too_long"),
  url: () => z.url({ protocol: /^https$/, error: "invalid" }).max(2000, "too_long"),
  number: amount,
  date: () => z.union([z.iso.date(), z.iso.datetime({ offset: true })], "invalid"),
  money: () => z.object({ amount: amount(), currency: z.string("invalid").regex(/^[A-Z]{3}$/, "invalid") }, "invalid"),
  boolean: () => z.boolean("invalid"),
} as const;

const anySample = () =>
  z.unknown().optional().meta({
    description: "an example value of the type; a list of objects for a list. Previews and test mails use it.",
  });

const name = () =>
  z
    .string("invalid")
    .regex(/^[a-z][a-z0-9_]{0,47}$/, "invalid_format")
    .refine((text) => !RESERVED_NAMES.includes(text), "reserved");

const fieldSchema = () =>
  z.object(
    {
      name: name(),
      value_type: z.enum(VALUE_TYPES, "invalid").exclude(["list"]),
      required: z.boolean("invalid").default(false),
      labels: labels().optional(),
      sample: anySample(),
    },
    "invalid",
  );

const variableSchema = () =>
  z.object(
    {
      ...fieldSchema().shape,
      value_type: z.enum(VALUE_TYPES, "invalid"),
      fields: z
        .array(fieldSchema(), "invalid")
        .min(1, "required")
        .max(MAX_FIELDS, "too_many")
        .optional()
        .describe("the variables of each item of a list"),
    },
    "invalid",
  );

/** The input of a variable. */
export type VariableInput = z.output<ReturnType<typeof variableSchema>>;

const mailTexts = () =>
  z.object(
    {
      subject: mailLine().optional(),
      preheader: mailLine().optional(),
      lead: paragraph().optional().describe("the text below the heading; empty lines separate paragraphs"),
      button: lineSchema(80, { blank: true }).optional().describe("label of the main link"),
      footnote: lineSchema(500, { blank: true }).optional().describe("the advice below the main link"),
    },
    "invalid",
  );

const eventType = () =>
  z
    .string("invalid")
    .max(MAX_EVENT_TYPE_LENGTH, "too_long")
    .regex(OWN_EVENT_TYPE, "invalid_format")
    .refine((text) => !isReservedPrefix(text), "reserved");

const fields = () => ({
  labels: labels(),
  description: inLanguages(paragraph),
  lane: z.literal("transactional", "invalid"),
  variables: z.array(variableSchema(), "invalid").max(MAX_VARIABLES, "too_many"),
  default_language: z.enum(EMAIL_LANGUAGES, "invalid"),
  default_template: z
    .string("invalid")
    .regex(/^[a-z0-9.-]{1,64}$/, "invalid")
    .describe("key of the library template from which the default mail is composed"),
  texts: inLanguages(mailTexts).describe("the default mail; its texts may contain tokens of the variables"),
});

const exampleVariables = [
  { name: "order_number", value_type: "text" as const, required: true, sample: "1042", labels: { en: "Order" } },
  { name: "total", value_type: "money" as const, sample: { amount: "54.00", currency: "EUR" } },
  { name: "order_url", value_type: "url" as const, required: true, labels: { en: "View your order" } },
];
const exampleInput = {
  event_type: "shop.order.placed",
  labels: { en: "Order placed", fr: "Commande passée" },
  variables: exampleVariables,
  texts: { en: { subject: "Your order {{ order_number }}", lead: "We have your order and are packing it." } },
};

const companyId = () => z.int("invalid").min(1, "invalid").nullish();

/** Body of `POST /api/v1/event-types` without a preset. */
export const eventTypeInputSchema = lazySchema(() => {
  const { labels: required, ...optional } = fields();
  return z.object({
    company_id: companyId(),
    event_type: eventType(),
    labels: required,
    ...z.object(optional).partial().shape,
  });
});

/** Body of `POST /api/v1/event-types` with a preset, which has a value for every missing field. */
export const presetInputSchema = lazySchema(() =>
  z.object({
    company_id: companyId(),
    preset: z.enum(PRESETS, "unknown"),
    event_type: eventType().optional().describe(`by default \`${PRESET_PREFIX}.\` and the preset`),
    ...z.object(fields()).partial().shape,
  }),
);

/** Body of `POST /api/v1/event-types`, only for the OpenAPI document. */
export const eventTypeBodySchema = lazySchema(() =>
  z
    .union([eventTypeInputSchema.unwrap().extend({ preset: z.null().optional() }), presetInputSchema.unwrap()])
    .meta({ examples: [exampleInput, { preset: "order.placed" }] }),
);

/** Body of `PATCH /api/v1/event-types/{event_type}`. Missing fields keep their values; `variables` replaces all variables. */
export const eventTypeChangeSchema = lazySchema(() =>
  z
    .object(fields())
    .partial()
    .meta({ examples: [{ labels: { en: "Order received" } }] }),
);

const textPair = () => z.object({ en: z.string(), fr: z.string() });
const outputField = () => ({
  name: z.string(),
  value_type: z.enum(VALUE_TYPES),
  required: z.boolean(),
  labels: textPair(),
  sample: z.unknown(),
});
const variableOutput = () =>
  z.object({ ...outputField(), fields: z.array(z.object(outputField())).optional().describe("only for a list") });
const mailTextsOutput = () =>
  z.object({
    subject: z.string(),
    preheader: z.string(),
    lead: z.string(),
    button: z.string(),
    footnote: z.string(),
  });

/** The fields that a company sets, and `service`. */
const outputFields = () => ({
  event_type: z.string(),
  service: z.string().describe("the first part of the event type; a service key of this service sends it"),
  lane: z.literal("transactional"),
  labels: textPair(),
  description: textPair(),
  variables: z.array(variableOutput()),
  default_language: z.enum(EMAIL_LANGUAGES),
  default_template: z.string(),
  texts: z.object({ en: mailTextsOutput(), fr: mailTextsOutput() }),
});

/** An event type that a company defined. */
export const eventTypeSchema = lazySchema(() =>
  z
    .object({
      company_id: z.int(),
      ...outputFields(),
      created_at: z.iso.datetime(),
      updated_at: z.iso.datetime(),
    })
    .meta({ id: "EventType", examples: [example] }),
);

/** Response of `POST /api/v1/event-types`. */
export const createdEventTypeSchema = lazySchema(() =>
  z
    .object({
      ...eventTypeSchema.unwrap().shape,
      rule_id: z.int().optional().describe("with a preset: the email rule"),
      template_id: z.int().optional().describe("with a preset: the published custom template of the rule"),
    })
    .meta({ id: "CreatedEventType", examples: [example, { ...example, rule_id: 3, template_id: 7 }] }),
);

/** A preset: the event type that it creates. */
const presetSchema = () =>
  z
    .object({
      preset: z.enum(PRESETS),
      ...outputFields(),
      suitable_templates: z.array(z.string()).describe("library templates for `default_template`, the default first"),
    })
    .meta({ id: "Preset" });
export type PublicPreset = z.output<ReturnType<typeof presetSchema>>;

/** Response of `GET /api/v1/event-types/presets`. */
export const presetListSchema = lazySchema(() =>
  z
    .object({ presets: z.array(presetSchema()), next_cursor: z.string().nullable() })
    .meta({ examples: [{ presets: [examplePreset], next_cursor: null }] }),
);
export type PublicEventType = z.output<typeof eventTypeSchema>;

const exampleTexts = {
  subject: "Your order {{ order_number }}",
  preheader: "",
  lead: "We have your order and are packing it.",
  button: "",
  footnote: "",
};
const example = {
  company_id: 42,
  event_type: "shop.order.placed",
  service: "shop",
  lane: "transactional" as const,
  labels: { en: "Order placed", fr: "Commande passée" },
  description: { en: "", fr: "" },
  variables: [
    {
      name: "order_number",
      value_type: "text" as const,
      required: true,
      labels: { en: "Order", fr: "Order" },
      sample: "1042",
    },
  ],
  default_language: "en" as const,
  default_template: "barebone.text-only",
  texts: { en: exampleTexts, fr: exampleTexts },
  created_at: "2026-01-31T09:30:00.000Z",
  updated_at: "2026-01-31T09:30:00.000Z",
};
const { company_id: _company, created_at: _created, updated_at: _updated, ...exampleFields } = example;
const examplePreset = {
  preset: "order.placed" as const,
  ...exampleFields,
  default_template: "studio.order-confirmation",
  suitable_templates: ["studio.order-confirmation", "arcane.order-confirmation"],
};

/** Response of `GET /api/v1/event-types`. */
export const eventTypeListSchema = lazySchema(() =>
  z
    .object({ event_types: z.array(eventTypeSchema.unwrap()), next_cursor: z.string().nullable() })
    .meta({ examples: [{ event_types: [example], next_cursor: null }] }),
);
