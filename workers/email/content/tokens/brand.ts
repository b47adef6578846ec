import { escapeHtml } from "../../../kit/pages/html";
import { htmlUnless, htmlWhen } from "./marker";
import { RAW_TOKEN_SOURCE } from "./token";

/**
 * What a company's branding puts into the looks of the sets: colours as tokens whose default is the colour that the set is
 * drawn with, so that a company without branding gets the design as it is. Only sets write them; a document's own styles hold
 * no tokens. `…Dark` is for dark panels; `text` stands on the colour, `ink` is for words in it.
 */
export const BRAND = {
  color: (drawn: string) => `{{ system.brand_color|default:"${drawn}" }}`,
  text: (drawn: string) => `{{ system.brand_text|default:"${drawn}" }}`,
  colorDark: (drawn: string) => `{{ system.brand_color_dark|default:"${drawn}" }}`,
  textDark: (drawn: string) => `{{ system.brand_text_dark|default:"${drawn}" }}`,
  ink: (drawn: string) => `{{ system.brand_ink|default:"${drawn}" }}`,
  inkDark: (drawn: string) => `{{ system.brand_ink_dark|default:"${drawn}" }}`,
};

const everyToken = new RegExp(RAW_TOKEN_SOURCE, "g");

/** A style or CSS text of a set without its tokens: as it is drawn. */
export function drawn(css: string): string {
  return css.replace(everyToken, (_token, _name: string, fallback: string | undefined) => fallback ?? "");
}

/** CSS of a set as it stands in the HTML of a mail, where tokens are escaped. */
export function escapeTokens(css: string): string {
  return css.replace(everyToken, escapeHtml);
}

const LOGO =
  '<img src="{{ system.logo_url }}" alt="{{ company_name }}" height="36" class="logo" style="border:0;max-width:100%;font-size:16px;font-weight:600">';

/**
 * The head of a mail: a bar in the company's colour (`bar`: its style, "" for a set without one), then its logo in place of
 * its name. What the company has not set is left out.
 */
export function writeBrand(name: string, bar: string): string {
  const stripe = `<div class="brand-bar" style="${escapeHtml(bar)}">&nbsp;</div>`;
  return (
    (bar === "" ? "" : htmlWhen("system.brand_color", stripe)) +
    htmlWhen("system.logo_url", LOGO) +
    htmlUnless("system.logo_url", name)
  );
}
