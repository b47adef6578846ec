import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { linePattern } from "../../text/text";
import { httpsUrlPattern } from "../../text/web-url";
import type { EmailLanguage } from "./catalog-texts";

/** Maximum lengths of the branding fields in characters. */
export const BRANDING_LENGTHS = {
  logo_url: 2048,
  logo_dark_url: 2048,
  postal_address: 200,
  footer_text: 300,
  social_link: 200,
} as const;

/** The social networks that a branding may link to: their names, and the hosts of their pages. */
export const SOCIAL_NETWORKS = {
  instagram: { name: "Instagram", hosts: ["instagram.com"] },
  facebook: { name: "Facebook", hosts: ["facebook.com"] },
  linkedin: { name: "LinkedIn", hosts: ["linkedin.com"] },
  youtube: { name: "YouTube", hosts: ["youtube.com"] },
  tiktok: { name: "TikTok", hosts: ["tiktok.com"] },
  x: { name: "X", hosts: ["x.com", "twitter.com"] },
  threads: { name: "Threads", hosts: ["threads.com", "threads.net"] },
  bluesky: { name: "Bluesky", hosts: ["bsky.app"] },
  github: { name: "GitHub", hosts: ["github.com"] },
} as const;
export type SocialNetwork = keyof typeof SOCIAL_NETWORKS;
export const SOCIAL_NETWORK_KEYS = Object.keys(SOCIAL_NETWORKS) as SocialNetwork[];

/** Returns an object with a value for each social network. */
const perNetwork = <Value>(make: () => Value) =>
  Object.fromEntries(SOCIAL_NETWORK_KEYS.map((network) => [network, make()])) as Record<SocialNetwork, Value>;

/** Returns an object with a value for each language of mails. */
const perLanguage = <Value>(make: () => Value): Record<EmailLanguage, Value> => ({ en: make(), fr: make() });

const optionalText = (max: number, pattern: string) => z.string().max(max).regex(new RegExp(pattern)).nullish();

const example = {
  primary_color: "#0a5c45",
  logo_url: "https://cdn.aster.example/logo.png",
  logo_dark_url: "https://cdn.aster.example/logo-dark.png",
  postal_address: "Aster Labs, 8 rue des Lilas, 69001 Lyon",
  footer_text: "Questions? Write to help@aster.example.",
  footer_texts: { en: "", fr: "Une question\u00a0? Écrivez à help@aster.example." },
  social_links: { linkedin: "https://www.linkedin.com/company/aster-labs" },
};

/** Body of `PUT /api/v1/branding`, only for the OpenAPI document. A missing field keeps its value; "" clears the value. */
export const brandingInputSchema = lazySchema(() =>
  z
    .object({
      company_id: z.int().min(1).nullish(),
      primary_color: z
        .string()
        .regex(/^$|^#[0-9A-Fa-f]{6}$/)
        .nullish(),
      logo_url: optionalText(BRANDING_LENGTHS.logo_url, `^$|${httpsUrlPattern}`),
      logo_dark_url: optionalText(BRANDING_LENGTHS.logo_dark_url, `^$|${httpsUrlPattern}`),
      postal_address: optionalText(BRANDING_LENGTHS.postal_address, linePattern),
      footer_text: optionalText(BRANDING_LENGTHS.footer_text, linePattern),
      footer_texts: z
        .strictObject(perLanguage(() => optionalText(BRANDING_LENGTHS.footer_text, linePattern)))
        .nullish()
        .meta({ description: "footers by language, which replace `footer_text` in mail of that language" }),
      social_links: z
        .strictObject(perNetwork(() => optionalText(BRANDING_LENGTHS.social_link, `^$|${httpsUrlPattern}`)))
        .nullish()
        .meta({ description: "pages of the company on social networks, for the footer of news and receipts" }),
    })
    .meta({ examples: [example] }),
);

/** Response of `GET` and `PUT /api/v1/branding`. */
export const brandingSchema = lazySchema(() =>
  z
    .object({
      company_id: z.int(),
      primary_color: z.string(),
      logo_url: z.string(),
      logo_dark_url: z.string().meta({ description: "the logo on dark backgrounds" }),
      postal_address: z.string(),
      footer_text: z.string(),
      footer_texts: z.object(perLanguage(() => z.string())),
      social_links: z.object(perNetwork(() => z.string().optional())).meta({ description: "the ones that are set" }),
      updated_at: z.iso.datetime().nullable(),
    })
    .meta({
      id: "Branding",
      examples: [{ company_id: 10, ...example, updated_at: "2026-01-31T09:30:00.000Z" }],
    }),
);

/** Response of `GET /api/v1/branding/page`. The logos are "" unless the email service stores them. */
export const companyLookSchema = lazySchema(() =>
  z.object({ company_id: z.int(), primary_color: z.string(), logo_url: z.string(), logo_dark_url: z.string() }).meta({
    id: "CompanyLook",
    examples: [
      {
        company_id: 10,
        primary_color: example.primary_color,
        logo_url: `https://email.example.com/static/logos/${"9f".repeat(32)}`,
        logo_dark_url: "",
      },
    ],
  }),
);

/** Maximum size of an uploaded logo in bytes, and maximum width and height in pixels. */
export const LOGO_LIMITS = { bytes: 262_144, side: 4096 } as const;

/** The name of a stored logo: the SHA-256 of its bytes in lower-case hex. */
export const LOGO_NAME_PATTERN = "^[0-9a-f]{64}$";

/** The backgrounds that a logo is made for. */
export const LOGO_SCHEMES = ["light", "dark"] as const;
export type LogoScheme = (typeof LOGO_SCHEMES)[number];

/** The query of `PUT` and `DELETE /api/v1/branding/logo`. */
export const logoQuery = lazySchema(() =>
  z.object({
    company_id: z.string().optional(),
    scheme: z.enum(LOGO_SCHEMES).default("light").meta({ description: "the backgrounds that the logo is for" }),
  }),
);

/** The path of `GET /static/logos/{sha256}`. */
export const logoParams = lazySchema(() =>
  z.object({ sha256: z.string().meta({ pattern: LOGO_NAME_PATTERN, example: "9f".repeat(32) }) }),
);
