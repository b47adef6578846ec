import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { lineSchema } from "../../text/text";
import { isReservedPrefix, prefixOf } from "../content/prefixes";
import { laneSchema } from "../delivery/lanes";

/** Maximum number of API keys per company. */
export const MAX_API_KEYS = 50;

const MAX_PREFIXES = 20;
const part = "[a-z0-9][a-z0-9_-]{0,63}";
// The part after the last dot may be missing (`shop.`), so that a prefix ends at a part (`shop.order.`) or names one type.
const prefixPattern = `^[a-z][a-z0-9_-]{0,63}(?:\\.${part}){0,5}\\.(?:${part})?$`;

/** Prefixes of event types with the same first part, which is the service of the key. */
const prefixes = () =>
  z
    .array(z.string("invalid").max(100, "too_long").regex(new RegExp(prefixPattern), "invalid"), "invalid")
    .min(1, "required")
    .max(MAX_PREFIXES, "too_many")
    .refine((list) => !list.some(isReservedPrefix), "reserved")
    .refine((list) => new Set(list.map(prefixOf)).size <= 1, "several_services")
    .transform((list) => [...new Set(list)]);

/** Body of `POST /api/v1/api-keys`. */
export const apiKeyInputSchema = lazySchema(() =>
  z
    .object({
      name: lineSchema(128).optional(),
      allowed_template_prefixes: prefixes(),
      direct_content: z
        .boolean("invalid")
        .default(false)
        .describe("true accepts prefixes without an event type, for an application that sends its own content"),
    })
    .transform(({ name, allowed_template_prefixes, direct_content }) => {
      const service = prefixOf(allowed_template_prefixes[0] ?? "");
      return { service, name: name ?? service, allowed_template_prefixes, direct_content };
    })
    .meta({
      examples: [
        { name: "Shop", allowed_template_prefixes: ["shop."] },
        { name: "Newsletter", allowed_template_prefixes: ["news."], direct_content: true },
      ],
    }),
);
export type ApiKeyInput = z.output<typeof apiKeyInputSchema>;

const example = {
  id: 3,
  company_id: 42,
  name: "Shop",
  service: "shop",
  allowed_lanes: ["transactional" as const],
  allowed_template_prefixes: ["shop."],
  key_prefix: "esk_AbCdEfGh",
  previous_expires_at: null,
  last_used_at: null,
  created_at: "2026-01-31T09:30:00.000Z",
};

/** An API key without its plain text. */
export const apiKeySchema = lazySchema(() =>
  z
    .object({
      id: z.int(),
      company_id: z.int(),
      name: z.string(),
      service: z.string().describe("the first part of the prefixes; `service` of events that the key sends"),
      allowed_lanes: z.array(laneSchema.unwrap()),
      allowed_template_prefixes: z.array(z.string()),
      key_prefix: z.string(),
      previous_expires_at: z.iso.datetime().nullable().describe("until when the key before the last rotation is valid"),
      last_used_at: z.iso.datetime().nullable(),
      created_at: z.iso.datetime(),
    })
    .meta({ id: "ApiKey", examples: [example] }),
);

/** An API key with its plain text, which only the responses to creation and rotation contain. */
export const newApiKeySchema = lazySchema(() =>
  apiKeySchema
    .unwrap()
    .extend({ key: z.string() })
    .meta({ id: "NewApiKey", examples: [{ ...example, key: "esk_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789_-ABCDE" }] }),
);

/** Response of `GET /api/v1/api-keys`. */
export const apiKeyListSchema = lazySchema(() =>
  z
    .object({ api_keys: z.array(apiKeySchema.unwrap()), next_cursor: z.string().nullable() })
    .meta({ examples: [{ api_keys: [example], next_cursor: null }] }),
);
