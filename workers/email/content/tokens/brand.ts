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

/** The logo has the height of two lines, and its alternative text the look of the name. */
const LOGO_STYLE = "border:0;max-width:100%;font-size:16px;font-weight:600";

const logo = (token: string, look: string, hidden = ""): string =>
  `<img src="{{ ${token} }}" alt="{{ company_name }}" height="36" class="${look}" style="${hidden}${LOGO_STYLE}">`;

/**
 * The logo of a company. With a logo for dark backgrounds there are two images: the style sheets of design sets show the second one
 * in dark mode, and Outlook for Windows, which ignores `display:none`, never shows it.
 */
const LOGO =
  htmlUnless("system.logo_dark_url", logo("system.logo_url", "logo")) +
  htmlWhen(
    "system.logo_dark_url",
    `${logo("system.logo_url", "logo-light")}<!--[if !mso]><!-->${logo("system.logo_dark_url", "logo-dark", "display:none;")}<!--<![endif]-->`,
  );

/**
 * Returns the header of a mail: the logo, or the name for a company without a logo, behind the first letter of the name in the
 * brand colour. `name` is the paragraph with the name, and `monogram` the style of the letter.
 */
export function writeBrand(name: string, monogram: string): string {
  const letter = `<span aria-hidden="true" class="monogram" style="${escapeHtml(monogram)}">{{ system.monogram }}</span>`;
  const marked = name.replace(/<p[^>]*>/, (start) => start + htmlWhen("system.monogram", letter));
  return htmlWhen("system.logo_url", LOGO) + htmlUnless("system.logo_url", marked);
}
