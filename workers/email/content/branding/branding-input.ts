import type { BrandingRow } from "../../../../db/email/rows";
import { BRANDING_LENGTHS } from "../../../../schemas/email/content/branding";
import type { FieldErrors } from "../../../../schemas/errors";
import { isName } from "../../../../schemas/text/name";
import { isLine } from "../../../../schemas/text/text";
import { isAbsent } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import { plainAddress } from "../../records/seal/address";
import { urlValueProblem } from "../tokens/url-value";

/** The fields of a branding; null keeps the stored value, "" clears it. */
export type BrandingChange = {
  [Field in "primary_color" | "logo_url" | "postal_address" | "footer_text"]: BrandingRow[Field] | null;
};

type Check = (value: string, settings: { debug: boolean }) => string | null;

const isColour: Check = (value) => (/^#[0-9a-f]{6}$/i.test(value) ? null : "invalid");

const isLogo: Check = (value, { debug }) => {
  if (value.length > BRANDING_LENGTHS.logo_url) return "too_long";
  const isWeb = /^https?:/i.test(value) && !/[{}"'<>]/.test(value);
  return isWeb ? urlValueProblem(value, { authLane: false, authLinkHosts: [], debug }) : "scheme_not_allowed";
};

const TEMPLATE_TAG = /\{[{%#]|[}%#]\}/;
const LINK = /mailto:|tel:|https?:|www\.|\/\//i;
/** An address that stands by itself: what follows it would make it another link. */
const ADDRESS = new RegExp(`(?<![^\\s(<,;])${plainAddress}(?=[.,;:!?)>]*(?:\\s|$))`, "gi");

/** Whether a text of a branding holds what a mail program makes a link of, but for addresses to write to. */
export function holdsLink(text: string): boolean {
  // Mail programs read compatibility forms as the characters that they stand for.
  const normalized = text.normalize("NFKC");
  return LINK.test(normalized) || !isName(normalized.replace(ADDRESS, " ").trim());
}

/**
 * Words that stand in every mail of a company, the sign-in mail from the platform's address among them: so they are no
 * template, hide nothing, and hold nothing that a mail program makes a link of, but for addresses to write to.
 */
const isPlainText =
  (max: number): Check =>
  (value) => {
    if (value.length > max) return "too_long";
    if (!isLine(value) || /\p{Cf}/u.test(value)) return "invalid";
    if (TEMPLATE_TAG.test(value)) return "template_tags_forbidden";
    return holdsLink(value) ? "literal_url" : null;
  };

const CHECKS: Readonly<Record<keyof BrandingChange, Check>> = {
  primary_color: isColour,
  logo_url: isLogo,
  postal_address: isPlainText(BRANDING_LENGTHS.postal_address),
  footer_text: isPlainText(BRANDING_LENGTHS.footer_text),
};

/** The fields of a PUT; all failures together as 400 `<field>: [<code>]`. */
export function readBrandingChange(body: Record<string, unknown>, settings: { debug: boolean }): BrandingChange {
  const fields: FieldErrors = {};
  const change: BrandingChange = { primary_color: null, logo_url: null, postal_address: null, footer_text: null };
  for (const field of Object.keys(CHECKS) as (keyof BrandingChange)[]) {
    const input = body[field];
    if (isAbsent(input)) continue;
    const value = typeof input === "string" ? input.trim() : null;
    const problem = value === null ? "invalid" : value === "" ? null : CHECKS[field](value, settings);
    if (problem !== null) fields[field] = [problem];
    change[field] = field === "primary_color" ? (value ?? "").toLowerCase() : value;
  }
  if (Object.keys(fields).length > 0) throw invalid(fields);
  return change;
}
