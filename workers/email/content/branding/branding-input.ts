import type { BrandingRow } from "../../../../db/email/rows";
import { BRANDING_LENGTHS } from "../../../../schemas/email/content/branding";
import type { FieldErrors } from "../../../../schemas/errors";
import { isName } from "../../../../schemas/text/name";
import { isLine } from "../../../../schemas/text/text";
import { isAbsent } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import { plainAddress } from "../../records/seal/address";
import { urlValueProblem } from "../tokens/url-value";

/** New values of the branding fields. Null keeps the stored value; "" clears it. */
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
/** Matches an email address with delimiters on both sides, so that it cannot be part of a longer link. */
const ADDRESS = new RegExp(`(?<![^\\s(<,;])${plainAddress}(?=[.,;:!?)>]*(?:\\s|$))`, "gi");

/** Returns whether a text contains anything that mail clients turn into a link, except email addresses. */
export function containsLink(text: string): boolean {
  // Mail clients may treat Unicode compatibility characters like their ASCII equivalents.
  const normalized = text.normalize("NFKC");
  return LINK.test(normalized) || !isName(normalized.replace(ADDRESS, " ").trim());
}

/**
 * Returns a check for texts that appear in every mail of a company, even in sign-in mail from the platform sender. These texts
 * must not contain template tags, invisible characters or links. Email addresses are allowed.
 */
const isPlainText =
  (max: number): Check =>
  (value) => {
    if (value.length > max) return "too_long";
    if (!isLine(value) || /\p{Cf}/u.test(value)) return "invalid";
    if (TEMPLATE_TAG.test(value)) return "template_tags_forbidden";
    return containsLink(value) ? "literal_url" : null;
  };

const CHECKS: Readonly<Record<keyof BrandingChange, Check>> = {
  primary_color: isColour,
  logo_url: isLogo,
  postal_address: isPlainText(BRANDING_LENGTHS.postal_address),
  footer_text: isPlainText(BRANDING_LENGTHS.footer_text),
};

/** Returns the changes of a PUT. Throws 400 with `<field>: [<code>]` for each invalid field. */
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
