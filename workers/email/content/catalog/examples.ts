import { type CatalogEvent, type CatalogVariable, MAX_LIST_ITEMS } from "../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import type { ListItem, Variables } from "../tokens/values";
import { exampleValue } from "./catalog";
import { readExample } from "./variables";

/** Returns the example values of the variables of an event, formatted in the language of the mail. */
export function exampleVariables(
  event: CatalogEvent,
  language: EmailLanguage,
  authLinkHosts: readonly string[],
): Variables {
  return Object.fromEntries(
    event.variables.map((variable) => [variable.token, exampleOf(variable, language, authLinkHosts)]),
  );
}

/** Returns the example values with lists of the maximum length, in which the items of each list are repeated. */
export function longestLists(examples: Variables): Variables {
  const repeat = (items: readonly ListItem[]) =>
    Array.from({ length: MAX_LIST_ITEMS }, (_, index) => items[index % items.length] ?? {});
  return Object.fromEntries(
    Object.entries(examples).map(([token, value]) => [token, typeof value === "string" ? value : repeat(value)]),
  );
}

function exampleOf(
  variable: CatalogVariable,
  language: EmailLanguage,
  authLinkHosts: readonly string[],
): string | readonly ListItem[] {
  const sample = variable.sample === undefined ? null : readExample(variable, language);
  if (sample !== null) return sample;
  if (variable.value_type !== "list") return exampleValue(variable, authLinkHosts);
  const fields = (variable.fields ?? []).map((field) => [field.token, exampleValue(field, authLinkHosts)]);
  return [Object.fromEntries(fields) as ListItem];
}
