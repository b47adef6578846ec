import type { BrandingRow } from "../../../../db/email/rows";
import { holdsLink } from "./branding-input";
import { brandColours } from "./colours";

/** What a branding puts into a mail, by the names of the tokens `system.*`; what is not set has no token. */
export function brandTokens(branding: BrandingRow | null): Record<string, string> {
  if (branding === null) return {};
  const { primary_color, logo_url, postal_address, footer_text } = branding;
  // The colour goes into styles, where no value is escaped enough: it is a colour or it is not there.
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
    postal_address: withoutLinks(postal_address),
    footer_text: withoutLinks(footer_text),
  };
}

/** A text from before the rule about links is not shown where it breaks it. */
const withoutLinks = (text: string): string => (holdsLink(text) ? "" : text);
