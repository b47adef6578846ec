import type { CatalogEvent, CatalogVariable } from "../../../../schemas/email/content/catalog";
import type { FieldErrors } from "../../../../schemas/errors";
import { plainName } from "../../../../schemas/text/name";
import { isAbsent, isObject, type JsonObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import { Problem } from "../../problem";
import { readPlainAddress } from "../../records/seal/address";
import type { EmailSettings } from "../../settings";
import { tokensOf } from "../tokens/token";
import { urlValueProblem } from "../tokens/url-value";

/** Tokens whose values are names that one user chose and other users read. */
const CHOSEN_NAMES = new Set(["recipient_name", "inviter_name", "rule_name"]);

/**
 * Returns the form of a value that is safe to show in a mail. Users trust the sender of auth mail. Links and invisible
 * characters are therefore removed from the values in auth mail, wherever a template shows them. A `recipient_email` that could
 * be displayed as a link becomes "".
 */
function displayValue({ lane_class }: CatalogEvent, { token, type }: CatalogVariable, value: string): string {
  if (CHOSEN_NAMES.has(token)) return plainName(value);
  if (lane_class !== "auth" || type === "url") return value;
  return token === "recipient_email" ? (readPlainAddress(value) ?? "") : plainName(value);
}

/** The values of variables as text, by token. */
export type Variables = Record<string, string>;

/** Returns the object. Throws 400 `<name>: [invalid]`, or `[too_large]` when its JSON exceeds `EMAIL_MAX_VARIABLES_BYTES`. */
export function readVariables(value: unknown, settings: EmailSettings, name = "variables"): JsonObject {
  if (isAbsent(value)) return {};
  if (!isObject(value)) throw invalid({ [name]: ["invalid"] });
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  if (bytes > settings.maxVariablesBytes) throw invalid({ [name]: ["too_large"] });
  return value;
}

/**
 * Returns the declared variables of the event as text that is safe to show in a mail. `company_name` is the resolved company
 * name. Omits empty values and undeclared keys.
 */
export function resolveVariables(event: CatalogEvent, input: JsonObject, companyName: string): Variables {
  const values: Variables = {};
  for (const variable of event.variables) {
    const { token } = variable;
    const rawValue = toText(Object.hasOwn(input, token) ? input[token] : null);
    const text = token === "company_name" ? companyName : displayValue(event, variable, rawValue);
    if (text !== "") values[token] = text;
  }
  return values;
}

/** Adds `recipient_email` when the event declares it and the caller omitted it. */
export function withRecipient(event: CatalogEvent, values: Variables, email: string): Variables {
  const isMissing = event.variables.some(({ token }) => token === "recipient_email") && !values.recipient_email;
  return isMissing ? { ...values, recipient_email: email } : values;
}

/**
 * Throws 400 `validation_failed` for missing required variables and for control characters in values that the subject
 * contains. Otherwise throws `variable_url_not_allowed` for URLs that are not allowed. Each error lists all failed fields.
 */
export function checkVariables(event: CatalogEvent, values: Variables, settings: EmailSettings): void {
  const fields: FieldErrors = {};
  let isInvalid = false;
  const inSubject = tokensOf(event.suggested.en.subject, event.suggested.fr.subject);
  const rules = { authLane: event.lane_class === "auth", authLinkHosts: settings.authLinkHosts, debug: settings.debug };
  for (const { token, type, required } of event.variables) {
    const value = values[token] ?? "";
    if (value === "") {
      // `withRecipient` adds `recipient_email` later.
      if (!required || token === "recipient_email") continue;
      isInvalid = true;
      fields[`variables.${token}`] = ["required"];
    } else if (inSubject.has(token) && /\p{Cc}/u.test(value)) {
      isInvalid = true;
      fields[`variables.${token}`] = ["invalid"];
    } else if (type === "url") {
      const problem = urlValueProblem(value, rules);
      if (problem !== null) fields[`variables.${token}`] = [problem];
    }
  }
  if (isInvalid) throw invalid(fields);
  if (Object.keys(fields).length > 0) throw new Problem("variable_url_not_allowed", { field_errors: fields });
}

/** Converts a JSON value to text. Null becomes "". */
export function toText(value: unknown): string {
  if (isAbsent(value)) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(toText).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
