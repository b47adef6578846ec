import { escapeHtml } from "../../../kit/pages/html";
import { htmlUnless, htmlWhen } from "./marker";
import { RAW_TOKEN_SOURCE } from "./token";

/**
 * Tokens for the company's colours in the styles of design sets, with the set's own colour as default for companies without
 * branding. Only sets use them; styles of documents must not contain tokens. `…Dark` is for dark panels, `text` for text on
 * the colour, `ink` for text in the colour.
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

/** Replaces the tokens of a set's CSS by their defaults. */
export function withDefaultColours(css: string): string {
  return css.replace(everyToken, (_token, _name: string, fallback: string | undefined) => fallback ?? "");
}

/** HTML-escapes the tokens of a set's CSS, for use in the HTML of a mail. */
export function escapeTokens(css: string): string {
  return css.replace(everyToken, escapeHtml);
}

const LOGO =
  '<img src="{{ system.logo_url }}" alt="{{ company_name }}" height="36" class="logo" style="border:0;max-width:100%;font-size:16px;font-weight:600">';

/**
 * Returns the header of a mail: a bar in the company's colour, then the logo, or the name for a company without a logo.
 * `bar` is the style of the bar, "" for a set without one. A company without a colour gets no bar.
 */
export function writeBrand(name: string, bar: string): string {
  const stripe = `<div class="brand-bar" style="${escapeHtml(bar)}">&nbsp;</div>`;
  return (
    (bar === "" ? "" : htmlWhen("system.brand_color", stripe)) +
    htmlWhen("system.logo_url", LOGO) +
    htmlUnless("system.logo_url", name)
  );
}
