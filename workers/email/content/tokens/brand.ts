import { escapeHtml } from "../../../kit/pages/html";
import { htmlUnless, htmlWhen } from "./marker";
import { RAW_TOKEN_SOURCE } from "./token";

/**
 * Tokens for brand colours in the styles of design sets. The default of a token is the colour of the design set. Only design
 * sets use these tokens; styles in documents must not contain tokens. Names with `Dark` are for dark panels, `text` is for
 * text on the brand colour, and `ink` is for text in the brand colour.
 */
export const BRAND = {
  color: (fallback: string) => `{{ system.brand_color|default:"${fallback}" }}`,
  text: (fallback: string) => `{{ system.brand_text|default:"${fallback}" }}`,
  colorDark: (fallback: string) => `{{ system.brand_color_dark|default:"${fallback}" }}`,
  textDark: (fallback: string) => `{{ system.brand_text_dark|default:"${fallback}" }}`,
  ink: (fallback: string) => `{{ system.brand_ink|default:"${fallback}" }}`,
  inkDark: (fallback: string) => `{{ system.brand_ink_dark|default:"${fallback}" }}`,
};

const everyToken = new RegExp(RAW_TOKEN_SOURCE, "g");

/** Replaces the tokens in the CSS of a design set by their defaults. */
export function withDefaultColours(css: string): string {
  return css.replace(everyToken, (_token, _name: string, fallback: string | undefined) => fallback ?? "");
}

/** HTML-escapes the tokens in the CSS of a design set, for use in the HTML of a mail. */
export function escapeTokens(css: string): string {
  return css.replace(everyToken, escapeHtml);
}

const LOGO =
  '<img src="{{ system.logo_url }}" alt="{{ company_name }}" height="36" class="logo" style="border:0;max-width:100%;font-size:16px;font-weight:600">';

/**
 * Returns the header of a mail: a bar in the brand colour, then the logo, or the name for a company without a logo. `bar` is
 * the style of the bar, or "" for a design set without a bar. Companies without a brand colour get no bar.
 */
export function writeBrand(name: string, bar: string): string {
  const stripe = `<div class="brand-bar" style="${escapeHtml(bar)}">&nbsp;</div>`;
  return (
    (bar === "" ? "" : htmlWhen("system.brand_color", stripe)) +
    htmlWhen("system.logo_url", LOGO) +
    htmlUnless("system.logo_url", name)
  );
}
