import type { BrandingRow } from "../../../../db/email/rows";
import { SOCIAL_NETWORK_KEYS } from "../../../../schemas/email/content/branding";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import type { EmailSettings } from "../../settings";
import { brandTokens } from "../branding/brand-tokens";
import type { SystemTokens } from "../tokens/substitution";
import type { Variables } from "../tokens/values";
import { valueTexts } from "./value-texts";

/** The values from which the `system.*` tokens of a mail are computed. */
export type SystemTokenValues = {
  /** `msg_…` */
  messageId: string;
  language: EmailLanguage;
  variables: Readonly<Variables>;
  branding: BrandingRow | null;
  /** address for replies, or null when nobody reads replies */
  replyTo: string | null;
  /** unsubscribe link, or null in mail without one */
  unsubscribeUrl: string | null;
  /** link to the web version, which only broadcasts have */
  viewUrl?: string | null;
};

const WORDS = [
  "error",
  "change",
  "changed_fields",
  "source",
  "operation",
  "mime_type",
  "bucket_name",
  "last_status",
  "threshold",
  "used_bytes",
  "max_bytes",
  "country_code",
  "joined",
  "left",
  "members",
  "actor",
];

const NAMES = new Set([
  ...WORDS.map((name) => `words.${name}`),
  ...["message_id", "assets_url", "unsubscribe_url", "preferences_url", "view_url", "reply_to", "no_reply"],
  ...["logo_url", "logo_dark_url", "monogram", "postal_address", "footer_text"],
  ...["social_links", ...SOCIAL_NETWORK_KEYS.map((network) => `social_${network}`)],
  ...["brand_color", "brand_text", "brand_ink", "brand_color_dark", "brand_text_dark", "brand_ink_dark"],
]);

/** Returns whether a `system.*` token can have a value in a mail. */
export const isSystemToken = (token: string): boolean =>
  token.startsWith("system.") && NAMES.has(token.slice("system.".length));

/** Returns the `system.*` tokens of a mail; see docs/specification/email-content.md#system-tokens. */
export function systemTokens(values: SystemTokenValues, settings: Pick<EmailSettings, "emailPublicUrl">): SystemTokens {
  const { messageId, language, variables, branding, replyTo, unsubscribeUrl, viewUrl = null } = values;
  // The footer of a company contains the contact, so the built-in contact line is omitted.
  const brand = brandTokens(branding, language);
  const hasCompanyContact = (brand.footer_text ?? "") !== "";
  const contact = replyTo === null ? { no_reply: "1" } : { reply_to: replyTo };
  return {
    ...valueTexts(variables, language),
    ...brand,
    monogram: monogramOf(variables.company_name),
    ...(hasCompanyContact ? {} : contact),
    ...(unsubscribeUrl === null ? {} : { unsubscribe_url: unsubscribeUrl, preferences_url: unsubscribeUrl }),
    ...(viewUrl === null ? {} : { view_url: viewUrl }),
    message_id: messageId,
    // New documents must not use this token in images. Stored templates that use it are still sent.
    assets_url: `${settings.emailPublicUrl}/static/library`,
  };
}

/** Returns the first letter or digit of a name in upper case, or "" when the name begins with neither. */
function monogramOf(name: unknown): string {
  return typeof name === "string" ? (/^[\p{L}\p{N}]/u.exec(name.trim())?.[0].toUpperCase() ?? "") : "";
}
