import type { BrandingRow } from "../../../../db/email/rows";
import {
  BRANDING_LENGTHS,
  SOCIAL_NETWORK_KEYS,
  SOCIAL_NETWORKS,
  type SocialNetwork,
} from "../../../../schemas/email/content/branding";
import { EMAIL_LANGUAGES, type EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import type { FieldErrors } from "../../../../schemas/errors";
import { isName } from "../../../../schemas/text/name";
import { isLine } from "../../../../schemas/text/text";
import { isAbsent, isObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import { plainAddress } from "../../records/seal/address";
import { urlValueProblem } from "../tokens/url-value";

/** New values of the branding fields. Null keeps the stored value; "" clears it. */
export type BrandingChange = Record<TextField, string | null> & {
  /** new footers by language; null clears the footer of a language */
  footer_texts: Partial<Record<EmailLanguage, string | null>> | null;
  /** new pages by social network; null removes a page */
  social_links: Partial<Record<SocialNetwork, string | null>> | null;
};

type TextField = Exclude<keyof BrandingRow, "company_id" | "footer_texts" | "social_links" | "updated_at">;

/** A change that keeps every field. */
export const UNCHANGED: BrandingChange = {
  primary_color: null,
  logo_url: null,
  logo_dark_url: null,
  postal_address: null,
  footer_text: null,
  footer_texts: null,
  social_links: null,
};

type Check = (value: string, settings: { debug: boolean }) => string | null;

const isColour: Check = (value) => (/^#[0-9a-f]{6}$/i.test(value) ? null : "invalid");

const isLogo: Check = (value, { debug }) => {
  if (value.length > BRANDING_LENGTHS.logo_url) return "too_long";
  const isWeb = /^https?:/i.test(value) && !/[{}"'<>]/.test(value);
  return isWeb ? urlValueProblem(value, { authLane: false, authLinkHosts: [], debug }) : "scheme_not_allowed";
};

/** Returns a check for a page on a social network. The link has the name of the network, so it must lead there. */
const isPageOf = (network: SocialNetwork): Check => {
  const hosts: readonly string[] = SOCIAL_NETWORKS[network].hosts;
  return (value, { debug }) => {
    if (value.length > BRANDING_LENGTHS.social_link) return "too_long";
    if (!/^https:/i.test(value) || /[{}"'<>]/.test(value)) return "scheme_not_allowed";
    const problem = urlValueProblem(value, { authLane: false, authLinkHosts: [], debug });
    if (problem !== null) return problem;
    const { hostname, port } = new URL(value);
    const isOfNetwork = hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`));
    return isOfNetwork && port === "" ? null : "host_not_allowed";
  };
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

const CHECKS: Readonly<Record<TextField, Check>> = {
  primary_color: isColour,
  logo_url: isLogo,
  logo_dark_url: isLogo,
  postal_address: isPlainText(BRANDING_LENGTHS.postal_address),
  footer_text: isPlainText(BRANDING_LENGTHS.footer_text),
};

/** Returns the trimmed text of a field, or the code of its error. "" is valid in every field. */
function readText(input: unknown, check: Check, settings: { debug: boolean }): { text: string } | { problem: string } {
  if (typeof input !== "string") return { problem: "invalid" };
  const text = input.trim();
  const problem = text === "" ? null : check(text, settings);
  return problem === null ? { text } : { problem };
}

/** Returns the texts of a PUT by key: a language or a network. "" becomes null. Adds the code of each invalid one to `errors`. */
function readByKey<Key extends string>(
  { field, input, keys }: { field: string; input: unknown; keys: readonly Key[] },
  checkOf: (key: Key) => Check,
  errors: FieldErrors,
  settings: { debug: boolean },
): Partial<Record<Key, string | null>> | null {
  if (isAbsent(input)) return null;
  if (!isObject(input) || !Object.keys(input).every((name) => keys.some((key) => key === name))) {
    errors[field] = ["invalid"];
    return null;
  }
  const texts: Partial<Record<Key, string | null>> = {};
  for (const key of keys) {
    if (isAbsent(input[key])) continue;
    const read = readText(input[key], checkOf(key), settings);
    if ("problem" in read) errors[`${field}.${key}`] = [read.problem];
    else texts[key] = read.text === "" ? null : read.text;
  }
  return texts;
}

/** Returns the changes of a PUT. Throws 400 with `<field>: [<code>]` for each invalid field. */
export function readBrandingChange(body: Record<string, unknown>, settings: { debug: boolean }): BrandingChange {
  const errors: FieldErrors = {};
  const footers = { field: "footer_texts", input: body.footer_texts, keys: EMAIL_LANGUAGES };
  const pages = { field: "social_links", input: body.social_links, keys: SOCIAL_NETWORK_KEYS };
  const change: BrandingChange = {
    ...UNCHANGED,
    footer_texts: readByKey(footers, () => CHECKS.footer_text, errors, settings),
    social_links: readByKey(pages, isPageOf, errors, settings),
  };
  for (const field of Object.keys(CHECKS) as TextField[]) {
    if (isAbsent(body[field])) continue;
    const read = readText(body[field], CHECKS[field], settings);
    if ("problem" in read) errors[field] = [read.problem];
    else change[field] = field === "primary_color" ? read.text.toLowerCase() : read.text;
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return change;
}
