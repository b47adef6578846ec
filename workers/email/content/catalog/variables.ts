import { type CatalogEvent, type CatalogVariable, MAX_LIST_ITEMS } from "../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import type { FieldErrors } from "../../../../schemas/errors";
import { plainName } from "../../../../schemas/text/name";
import { isAbsent, isObject, type JsonObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import { Problem } from "../../problem";
import { readPlainAddress } from "../../records/seal/address";
import type { EmailSettings } from "../../settings";
import { PICTURE_NAME } from "../format/pictures";
import { tokensOf } from "../tokens/token";
import { urlValueProblem } from "../tokens/url-value";
import type { ListItem, Variables } from "../tokens/values";
import { VALUE_FORMATS, type ValueFormat } from "./value-format";

/** Tokens whose values are names that one user chose and other users read. */
const CHOSEN_NAMES = new Set(["recipient_name", "inviter_name", "rule_name"]);

/**
 * Returns the form of a value that is safe to show in a mail. Users trust the sender of auth mail. Links and invisible
 * characters are therefore removed from the values in auth mail, wherever a template shows them. A `recipient_email` that could
 * be displayed as a link becomes "".
 */
function displayValue({ lane_class }: CatalogEvent, { token, type }: CatalogVariable, value: string): string {
  if (CHOSEN_NAMES.has(token)) return plainName(value);
  if (token === "actor_name") return readPlainAddress(value) ?? plainName(value);
  if (lane_class !== "auth" || type === "url") return value;
  return token === "recipient_email" ? (readPlainAddress(value) ?? "") : plainName(value);
}

/** Returns the object. Throws 400 `<name>: [invalid]`, or `[too_large]` when its JSON exceeds `EMAIL_MAX_VARIABLES_BYTES`. */
export function readVariables(value: unknown, settings: EmailSettings, name = "variables"): JsonObject {
  if (isAbsent(value)) return {};
  if (!isObject(value)) throw invalid({ [name]: ["invalid"] });
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  if (bytes > settings.maxVariablesBytes) throw invalid({ [name]: ["too_large"] });
  return value;
}

/** Returns the input of a variable, or null when it is absent. Inherited properties are absent. */
const inputOf = (input: JsonObject, { token }: CatalogVariable): unknown =>
  Object.hasOwn(input, token) ? (input[token] ?? null) : null;

/** Returns the text or the items of an example, or null when the example has another type than the variable. */
export function readExample(variable: CatalogVariable, language: EmailLanguage): string | readonly ListItem[] | null {
  const problems: FieldErrors = {};
  const value = readValue(variable, variable.sample, { language, timeZone: "UTC" }, { path: "", problems });
  return Object.keys(problems).length > 0 ? null : value;
}

/** Returns the text of a value with a type, or null when the value has another type. An absent value becomes "". */
function readTyped(variable: CatalogVariable, value: unknown, format: ValueFormat): string | null {
  if (value === null || value === "") return "";
  const write = VALUE_FORMATS[variable.value_type ?? "text"];
  if (write !== undefined) return write(value, format);
  return variable.value_type === "text" && typeof value === "object" ? null : toText(value);
}

/** Returns the text or the items of a variable. Adds a value of the wrong type to `problems`. */
function readValue(
  variable: CatalogVariable,
  value: unknown,
  format: ValueFormat,
  { path, problems }: { path: string; problems: FieldErrors },
): string | readonly ListItem[] {
  const reject = (code: string) => {
    problems[path] = [code];
    return "";
  };
  if (variable.value_type !== "list") return readTyped(variable, value, format) ?? reject("invalid");
  if (value === null || value === "") return "";
  if (!Array.isArray(value)) return reject("invalid");
  if (value.length > MAX_LIST_ITEMS) return reject("too_many");
  return value.map((item: unknown, index): ListItem => {
    const itemPath = `${path}.${index}`;
    if (!isObject(item)) {
      problems[itemPath] = ["invalid"];
      return {};
    }
    const fields = (variable.fields ?? []).map((field) => {
      const place = { path: `${itemPath}.${field.token}`, problems };
      return [field.token, readValue(field, inputOf(item, field), format, place)] as const;
    });
    return Object.fromEntries(
      fields.flatMap(([token, text]) => (typeof text === "string" && text !== "" ? [[token, text]] : [])),
    );
  });
}

/**
 * Returns the declared variables of the event as text that is safe to show in a mail, in the language and time zone of `format`.
 * `company_name` is the resolved company name. Omits empty values and undeclared keys. Throws 400 `variables.<token>:
 * [invalid|too_many]` for values of the wrong type.
 */
export function resolveVariables(
  event: CatalogEvent,
  input: JsonObject,
  companyName: string,
  format: ValueFormat,
): Variables {
  const problems: FieldErrors = {};
  const values = event.variables.map((variable) => {
    const { token } = variable;
    if (token === "company_name") return [token, companyName] as const;
    const value = readValue(variable, inputOf(input, variable), format, { path: `variables.${token}`, problems });
    return [token, typeof value === "string" ? displayValue(event, variable, value) : value] as const;
  });
  if (Object.keys(problems).length > 0) throw invalid(problems);
  return Object.fromEntries(values.filter(([, value]) => value.length > 0));
}

/**
 * Returns the variables of a preview, including those that the event does not declare. Formats typed variables like
 * resolveVariables, and shows all other values as they are. Throws 400 `variables.<token>: [invalid|too_many]`.
 */
export function readPreviewVariables(event: CatalogEvent, input: JsonObject, format: ValueFormat): Variables {
  const typed = event.variables.filter(({ value_type, token }) => value_type !== undefined && token !== "company_name");
  const typedTokens = new Set(typed.map(({ token }) => token));
  const others = Object.entries(input).filter(([token]) => !typedTokens.has(token));
  const problems: FieldErrors = {};
  const values = typed.flatMap((variable) => {
    const { token } = variable;
    if (!Object.hasOwn(input, token)) return [];
    return [[token, readValue(variable, inputOf(input, variable), format, { path: `variables.${token}`, problems })]];
  });
  if (Object.keys(problems).length > 0) throw invalid(problems);
  return Object.fromEntries([...others.map(([token, value]) => [token, toText(value)]), ...values]);
}

/** Returns resolveVariables for one input. Resolves the input once per format, or once if no value depends on the format. */
export function variablesByFormat(
  event: CatalogEvent,
  input: JsonObject,
  companyName: string,
): (format: ValueFormat) => Variables {
  const isFormatted = event.variables.some(({ value_type }) => value_type !== undefined);
  const resolved = new Map<string, Variables>();
  return (format) => {
    const key = isFormatted ? `${format.language} ${format.timeZone}` : "";
    const values = resolved.get(key) ?? resolveVariables(event, input, companyName, format);
    resolved.set(key, values);
    return values;
  };
}

/** Returns the tokens whose values are URLs. A URL field of a list is `<list>.<field>`. */
export function urlTokensOf({ variables }: CatalogEvent): string[] {
  return variables.flatMap(({ token, type, fields = [] }) => [
    ...(type === "url" ? [token] : []),
    ...fields.flatMap((field) => (field.type === "url" ? [`${token}.${field.token}`] : [])),
  ]);
}

/** Returns the tokens that documents of an event may use. A field of a list is `<list>.<field>`. */
export function declaredTokens({ variables }: CatalogEvent): string[] {
  return variables.flatMap(({ token, fields = [] }) => [token, ...fields.map((field) => `${token}.${field.token}`)]);
}

/** Adds `recipient_email` when the event declares it and the caller omitted it. */
export function withRecipient(event: CatalogEvent, values: Variables, email: string): Variables {
  const isMissing = event.variables.some(({ token }) => token === "recipient_email") && !values.recipient_email;
  return isMissing ? { ...values, recipient_email: email } : values;
}

type ValueWithPath = { path: string; variable: CatalogVariable; value: string };

/** Returns the values of variables and of the fields of all list items. A missing value is "". */
function valuesOf(variables: readonly CatalogVariable[], values: Readonly<Variables>, path: string): ValueWithPath[] {
  return variables.flatMap((variable): ValueWithPath[] => {
    const variablePath = `${path}.${variable.token}`;
    const value = values[variable.token] ?? "";
    if (typeof value === "string") return [{ path: variablePath, variable, value }];
    return value.flatMap((item, index) => valuesOf(variable.fields ?? [], item, `${variablePath}.${index}`));
  });
}

/**
 * Throws 400 `validation_failed` for missing required variables and for control characters in values that the subject
 * contains. Otherwise throws `variable_url_not_allowed` for URLs that are not allowed. Each error lists all failed fields.
 */
export function checkVariables(event: CatalogEvent, values: Variables, settings: EmailSettings): void {
  const fields: FieldErrors = {};
  const urlFields: FieldErrors = {};
  const inSubject = tokensOf(event.suggested.en.subject, event.suggested.fr.subject);
  const rules = { authLane: event.lane_class === "auth", authLinkHosts: settings.authLinkHosts, debug: settings.debug };
  for (const { path, variable, value } of valuesOf(event.variables, values, "variables")) {
    const { token, type, required } = variable;
    if (value === "") {
      // `withRecipient` adds `recipient_email` later.
      if (required && token !== "recipient_email") fields[path] = ["required"];
    } else if (path === `variables.${token}` && inSubject.has(token) && /\p{Cc}/u.test(value)) {
      fields[path] = ["invalid"];
    } else if (type === "url") {
      const isPicture = token === PICTURE_NAME;
      const problem = isPicture && !/^https?:/i.test(value) ? "scheme_not_allowed" : urlValueProblem(value, rules);
      if (problem !== null) urlFields[path] = [problem];
    }
  }
  if (Object.keys(fields).length > 0) throw invalid({ ...urlFields, ...fields });
  if (Object.keys(urlFields).length > 0) throw new Problem("variable_url_not_allowed", { field_errors: urlFields });
}

/** Converts a JSON value to text. Null becomes "". */
export function toText(value: unknown): string {
  if (isAbsent(value)) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(toText).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
