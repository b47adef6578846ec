import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { isLine, linePattern, linesPattern, textPattern } from "../../text/text";
import { EMAIL_LANGUAGES } from "../content/catalog-texts";

/** Maximum number of newsletters per company. */
export const MAX_NEWSLETTERS = 100;
const MAX_ORIGINS = 20;

/** `http(s)://host[:port]`, without a path. */
const ORIGIN = /^https?:\/\/(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;

/** Returns the origin as browsers send it, or null for a malformed one. */
function toOrigin(value: string): string | null {
  const text = value.trim();
  return ORIGIN.test(text) && URL.canParse(text) ? new URL(text).origin : null;
}

const origin = () =>
  z.string("invalid").transform((value, context) => {
    const parsed = toOrigin(value);
    if (parsed !== null) return parsed;
    context.addIssue({ code: "custom", message: "invalid" });
    return z.NEVER;
  });

/** Origins without duplicates. The whole list is invalid when one origin is. */
const origins = () =>
  z
    .custom<string[]>((value) => Array.isArray(value) && z.array(origin()).safeParse(value).success, "invalid")
    .transform((values) => [...new Set(values.map((value) => toOrigin(value) ?? value))])
    .refine((values) => values.length <= MAX_ORIGINS, "too_many")
    .meta({ type: "array", maxItems: MAX_ORIGINS, items: { type: "string", pattern: ORIGIN.source } });

const token = (max: number) =>
  z
    .string("invalid")
    .trim()
    .max(max, "too_long")
    .refine((value) => /^[\x21-\x7e]*$/.test(value), "invalid")
    .meta({ pattern: "^[\\x21-\\x7e]*$" });

const fields = () => ({
  name: z
    .string("invalid")
    .trim()
    .min(1, "required")
    .max(120, "too_long")
    .refine(isLine, "invalid")
    .meta({ pattern: textPattern }),
  description: z
    .string("invalid")
    .trim()
    .max(500, "too_long")
    .refine((value) => !/[^\P{Cc}\n\r\t]|\p{Cs}/u.test(value), "invalid")
    .meta({ pattern: linesPattern }),
  default_language: z.enum(EMAIL_LANGUAGES, "invalid"),
  allowed_origins: origins().describe("origins of pages that may post sign-ups; empty: any"),
  confirmed_redirect_url: z
    .string("invalid")
    .trim()
    .max(500, "too_long")
    .meta({ pattern: linePattern })
    .describe('page that subscribers see after their confirmation: an https URL, or "" for the page of the service'),
  turnstile_site_key: token(100).describe("public key of Cloudflare Turnstile for the hosted page and the form"),
  turnstile_secret: token(200).describe('secret key of Cloudflare Turnstile; write-only, "" removes it'),
});

const exampleInput = {
  name: "Product news",
  default_language: "en" as const,
  allowed_origins: ["https://aster.example"],
};

/** Body of `POST /api/v1/newsletters`. The handler also validates `confirmed_redirect_url`. */
export const newsletterInputSchema = lazySchema(() => {
  const { name, ...others } = fields();
  return z
    .object({
      company_id: z.int("invalid").min(1, "invalid").nullish(),
      name,
      description: others.description.default(""),
      default_language: others.default_language.default("en"),
      allowed_origins: others.allowed_origins.default([]),
      confirmed_redirect_url: others.confirmed_redirect_url.default(""),
      turnstile_site_key: others.turnstile_site_key.default(""),
      turnstile_secret: others.turnstile_secret.default(""),
    })
    .meta({ examples: [exampleInput] });
});
export type NewsletterInput = z.output<typeof newsletterInputSchema>;

/** Body of `PATCH /api/v1/newsletters/{id}`. Missing fields keep their values. */
export const newsletterChangeSchema = lazySchema(() =>
  z
    .object(fields())
    .partial()
    .meta({ examples: [{ description: "What we made this month" }] }),
);
export type NewsletterChange = z.output<typeof newsletterChangeSchema>;

const exampleNewsletter = {
  id: 12,
  name: "Product news",
  description: "",
  public_key: "nl_k7m2p9q4r8stV3wX_y-Zab1C",
  default_language: "en" as const,
  allowed_origins: ["https://aster.example"],
  confirmed_redirect_url: "",
  turnstile_site_key: "",
  turnstile_configured: false,
  confirmation_template_id: 31,
  subscribe_url: "https://mail.example.com/api/v1/public/newsletters/nl_k7m2p9q4r8stV3wX_y-Zab1C/subscribe",
  counts: { pending: 2, confirmed: 140, unsubscribed: 5 },
  created_at: "2026-01-31T09:30:00.000Z",
  updated_at: "2026-01-31T09:30:00.000Z",
};

/** A newsletter in a list. */
export const newsletterSchema = lazySchema(() =>
  z
    .object({
      id: z.int(),
      name: z.string(),
      description: z.string(),
      public_key: z.string(),
      default_language: z.enum(EMAIL_LANGUAGES),
      allowed_origins: z.array(z.string()),
      confirmed_redirect_url: z.string(),
      turnstile_site_key: z.string(),
      turnstile_configured: z.boolean(),
      confirmation_template_id: z.int().describe("custom template of the confirmation mail"),
      subscribe_url: z.string().describe("address for sign-ups; public"),
      counts: z.object({ pending: z.int(), confirmed: z.int(), unsubscribed: z.int() }),
      created_at: z.iso.datetime(),
      updated_at: z.iso.datetime(),
    })
    .meta({ id: "Newsletter", examples: [exampleNewsletter] }),
);

/** A newsletter with the sender of its confirmation mails. */
export const newsletterDetailSchema = lazySchema(() =>
  newsletterSchema
    .unwrap()
    .extend({
      sender: z.object({
        from_email: z.string(),
        error_code: z.string().describe('why no confirmation mail can be sent now, or ""'),
      }),
    })
    .meta({
      id: "NewsletterDetail",
      examples: [{ ...exampleNewsletter, sender: { from_email: "news@aster.example", error_code: "" } }],
    }),
);

/** Response of `GET /api/v1/newsletters`. */
export const newsletterListSchema = lazySchema(() =>
  z
    .object({ newsletters: z.array(newsletterSchema.unwrap()), next_cursor: z.string().nullable() })
    .meta({ examples: [{ newsletters: [exampleNewsletter], next_cursor: null }] }),
);
