import { escapeHtml } from "../../../kit/pages/html";
import { ITEM_PREFIX } from "./token";

/** An item of a list: the values of its fields as text. */
export type ListItem = Readonly<Record<string, string>>;

/** The values of the variables of a mail by token: text, or the items of a list. */
export type Variables = Record<string, string | readonly ListItem[]>;

/** Returns the text of a variable, or "" when it is missing or a list. */
export function textValue(variables: Readonly<Variables>, token: string): string {
  const value = variables[token];
  return typeof value === "string" ? value : "";
}

/** Returns the items of a list variable, or none when it is missing or text. */
export function listValue(variables: Readonly<Variables>, token: string): readonly ListItem[] {
  const value = variables[token];
  return Array.isArray(value) ? (value as readonly ListItem[]) : [];
}

/** A value in plain text and escaped for HTML. */
export type Value = { text: string; html: string };

/** The values that the tokens of a block can contain. */
export interface Scope {
  /** Returns the value of a token, or undefined when it has none. */
  valueOf: (token: string) => Value | undefined;
}

// Control characters except tab and line breaks. They have no meaning in a mail and break some mail clients.
const BARE_CONTROLS = /[^\P{Cc}\t\n\r]/gu;

const toValue = (text: string): Value => ({ text, html: escapeHtml(text) });

/** Returns the scope of a mail, without its lists. */
export function scopeOf(variables: Readonly<Variables>, system: Readonly<Record<string, string | undefined>>): Scope {
  const values = new Map<string, Value>();
  for (const [token, value] of Object.entries(variables)) {
    if (typeof value === "string" && !token.startsWith("system."))
      values.set(token, toValue(value.replace(BARE_CONTROLS, "")));
  }
  for (const [name, value = ""] of Object.entries(system)) values.set(`system.${name}`, toValue(value));
  return { valueOf: (token) => values.get(token) };
}

/** Returns the scope of one item: its fields as `item.<field>`, and all values of the mail. */
export function itemScope(item: ListItem, mail: Scope): Scope {
  const values = new Map(
    Object.entries(item).map(([field, value]) => [ITEM_PREFIX + field, toValue(value.replace(BARE_CONTROLS, ""))]),
  );
  return { valueOf: (token) => (token.startsWith(ITEM_PREFIX) ? values.get(token) : mail.valueOf(token)) };
}
