import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { addressPattern, canonicalAddress, isAddress } from "../../text/address";

/** Where the recipients of a rule come from. `hints`: the event request. `static`: the list of the rule. */
export const RECIPIENT_MODES = ["hints", "static"] as const;
/** The languages of a rule. "" means the language of the recipient, else of the event. */
const RULE_LANGUAGES = ["", "en", "fr"] as const;
const MAX_RECIPIENTS = 50;

/** Returns the address of an item, which is a string or an object with `email`. Returns null when the address is invalid. */
function addressOf(item: unknown): string | null {
  const email = typeof item === "object" && item !== null ? Reflect.get(item, "email") : item;
  const text = typeof email === "string" ? email.trim() : "";
  return isAddress(text) ? text : null;
}

/** A list of addresses. Duplicates are removed, ignoring case. An error applies to the whole list. */
const staticRecipients = () =>
  z
    .custom<unknown[]>(Array.isArray, "invalid")
    .transform((items, context): string[] => {
      const addresses = items.map(addressOf);
      const code = items.length > MAX_RECIPIENTS ? "too_many" : addresses.includes(null) ? "invalid" : null;
      if (code !== null) context.addIssue({ code: "custom", message: code });
      const unique = new Set<string>();
      return addresses.flatMap((address) => {
        if (address === null || unique.has(canonicalAddress(address))) return [];
        unique.add(canonicalAddress(address));
        return [address];
      });
    })
    .meta({
      type: "array",
      maxItems: MAX_RECIPIENTS,
      items: {
        anyOf: [
          { type: "string", maxLength: 254, pattern: addressPattern },
          {
            type: "object",
            required: ["email"],
            properties: { email: { type: "string", maxLength: 254, pattern: addressPattern } },
          },
        ],
      },
    });

const language = () =>
  z
    .enum(RULE_LANGUAGES)
    .nullish()
    .describe('"" or null: the language of the recipient, then that of the event, then `en`');

const ruleFields = () => ({
  enabled: z.boolean("invalid"),
  recipient_mode: z.enum(RECIPIENT_MODES, "invalid"),
  static_recipients: staticRecipients(),
});

/** The fields of a new rule that this schema validates. */
export const ruleFieldsSchema = lazySchema(() => {
  const { enabled, recipient_mode, static_recipients } = ruleFields();
  return z.object({
    enabled: enabled.default(true),
    recipient_mode: recipient_mode.default("hints"),
    static_recipients: static_recipients.default([]),
  });
});

/** The fields of a changed rule that this schema validates. Missing fields keep their values. */
export const ruleChangeFieldsSchema = lazySchema(() => z.object(ruleFields()).partial());

const company_id = () => z.int("invalid").min(1, "invalid").nullish();

/**
 * Body of `POST /api/v1/rules`, only for the OpenAPI document. The handler validates the fields one by one, because the
 * contract defines the order and the codes of the checks.
 */
export const ruleBodySchema = lazySchema(() =>
  z
    .object({
      company_id: company_id(),
      event_type: z.string().min(1).describe("an event of the catalog"),
      service: z.string().nullish().describe("service of the event"),
      ...ruleFieldsSchema.unwrap().shape,
      language: language(),
      content: z.object({ library_id: z.int().min(1).describe("library template to copy") }),
    })
    .meta({
      examples: [
        {
          event_type: "identity.user.created",
          recipient_mode: "static",
          static_recipients: ["office@example.com"],
          language: "en",
          content: { library_id: 7 },
        },
      ],
    }),
);

/** Body of `PATCH /api/v1/rules/{id}`, only for the OpenAPI document. */
export const ruleChangeSchema = lazySchema(() =>
  z
    .object({ company_id: company_id(), ...ruleChangeFieldsSchema.unwrap().shape, language: language() })
    .meta({ examples: [{ enabled: false }] }),
);

const time = () => z.iso.datetime();

/** An email rule: an event, the recipients and a custom template. */
export const ruleSchema = lazySchema(() =>
  z
    .object({
      id: z.int(),
      service: z.string(),
      event_type: z.string(),
      enabled: z.boolean(),
      recipient_mode: z.enum(RECIPIENT_MODES),
      static_recipients: z.array(z.string()),
      language: z.enum(RULE_LANGUAGES),
      template_id: z.int().describe("custom template that the rule sends"),
      built_in: z.boolean(),
      created_at: time(),
      updated_at: time(),
    })
    .meta({ id: "EmailRule", examples: [example] }),
);

const example = {
  id: 12,
  service: "identity",
  event_type: "identity.user.created",
  enabled: true,
  recipient_mode: "static" as const,
  static_recipients: ["office@example.com"],
  language: "en" as const,
  template_id: 31,
  built_in: false,
  created_at: "2026-01-31T09:30:00.000Z",
  updated_at: "2026-01-31T09:30:00.000Z",
};

/** Response of `GET /api/v1/rules`. */
export const ruleListSchema = lazySchema(() =>
  z
    .object({ company_id: z.int(), rules: z.array(ruleSchema.unwrap()), next_cursor: z.string().nullable() })
    .meta({ examples: [{ company_id: 42, rules: [example], next_cursor: null }] }),
);
