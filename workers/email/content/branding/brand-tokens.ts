import type { BrandingRow } from "../../../../db/email/rows";
import { SOCIAL_NETWORK_KEYS } from "../../../../schemas/email/content/branding";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { brandColours } from "../../../kit/pages/brand-colours";
import { containsLink } from "./branding-input";

/** Returns the `system.*` tokens of a branding by name, for mail in a language. Missing values are omitted or empty. */
export function brandTokens(branding: BrandingRow | null, language: EmailLanguage): Record<string, string> {
  if (branding === null) return {};
  const { primary_color, logo_url, logo_dark_url, postal_address, footer_text, footer_texts, social_links } = branding;
  // Escaping does not make a value safe inside a style attribute, so only hex colours are used.
  const colours = /^#[0-9a-f]{6}$/.test(primary_color) ? brandColours(primary_color) : null;
  return {
    ...(colours === null
      ? {}
      : {
          brand_color: colours.color,
          brand_text: colours.text,
          brand_color_dark: colours.colorDark,
          brand_text_dark: colours.textDark,
          brand_ink: colours.ink,
          brand_ink_dark: colours.inkDark,
        }),
    logo_url,
    // A logo for dark backgrounds alone would be missing in light mode.
    logo_dark_url: logo_url === "" ? "" : logo_dark_url,
    postal_address: withoutLinks(postal_address),
    footer_text: withoutLinks(footer_texts[language] ?? footer_text),
    ...socialTokens(social_links),
  };
}

/** Returns "" for a text that contains a link. Such texts may have been stored before links were rejected. */
const withoutLinks = (text: string): string => (containsLink(text) ? "" : text);

/** Returns `social_<network>` for each page, and `social_links` when there is one. */
function socialTokens(links: BrandingRow["social_links"]): Record<string, string> {
  const pages = SOCIAL_NETWORK_KEYS.flatMap((network) => {
    const url = links[network];
    return url === undefined ? [] : [[`social_${network}`, url] as const];
  });
  return pages.length === 0 ? {} : { social_links: "1", ...Object.fromEntries(pages) };
}
