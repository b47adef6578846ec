import * as z from "zod";

// Control characters, line separators, and surrogates that stand alone: none has a place in a name or label.
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Whether a text is one line that every system can store and show. */
export function isLine(text: string): boolean {
  return !unprintable.test(text);
}

/** A trimmed one-line text of at most `max` characters; codes `invalid`, `too_long` and, unless `blank`, `blank`. */
export function lineSchema(max: number, options: { blank?: boolean } = {}) {
  const line = z.string("invalid").trim().max(max, "too_long").refine(isLine, "invalid");
  return options.blank ? line : line.min(1, "blank");
}
