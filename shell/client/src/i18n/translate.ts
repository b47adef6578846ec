import type { Messages } from "../../../../schemas/shell/page.ts";
import type english from "./en.json";

/** Keys of the interface texts, grouped as `view.key`. `count` chooses between the `.one` and `.other` forms of a key. */
export type MessageKey = keyof typeof english | Counted<keyof typeof english>;
type Counted<Key extends string> = Key extends `${infer Stem}.one` ? Stem : never;

export type MessageValues = Record<string, string | number>;
export type Translate = (key: MessageKey, values?: MessageValues) => string;

const missing = new Set<string>();

/**
 * Returns a function that returns the text of a key. It replaces `{name}` with a value and formats numbers for the language.
 * If the text is missing, it returns the key.
 */
export function translator(messages: Messages, language: string): Translate {
  // The formatters are created on first use, because loading the locale data takes long on slow machines.
  let numbers: Intl.NumberFormat | undefined;
  let plurals: Intl.PluralRules | undefined;
  const pluralForm = (count: number) => {
    plurals ??= new Intl.PluralRules(language);
    return plurals.select(count);
  };
  const formatNumber = (number: number) => {
    numbers ??= new Intl.NumberFormat(language);
    return numbers.format(number);
  };
  return (key, values = {}) => {
    const count = values.count;
    const counted = typeof count === "number" ? messages[`${key}.${pluralForm(count)}`] : undefined;
    const text = counted ?? messages[`${key}.other`] ?? messages[key];
    if (text === undefined) {
      if (!missing.has(key)) console.warn(`no text for ${key} in ${language}`);
      missing.add(key);
      return key;
    }
    return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
      const value = values[name];
      return typeof value === "number" ? formatNumber(value) : (value ?? placeholder);
    });
  };
}
