import * as z from "zod";

// Control characters, line separators, and lone surrogates are not allowed in names or labels.
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Whether a text is one line that every system can store and show. */
export function isLine(text: string): boolean {
  return !unprintable.test(text);
}

// The same for a document, whose patterns hold in every dialect only without properties; no JSON text holds a lone surrogate.
const controls = "\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029";
/** One line, one that is more than spaces, and several. */
export const linePattern = `^[^${controls}]*$`;
export const textPattern = `^[^${controls}]*[^\\s\\ufeff${controls}][^${controls}]*$`;
export const linesPattern = linePattern.replace(controls, "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u2028\\u2029");

/** A trimmed one-line text of at most `max` characters; codes `invalid`, `too_long` and, unless `blank`, `blank`. */
export function lineSchema(max: number, options: { blank?: boolean } = {}) {
  const line = z.string("invalid").trim().max(max, "too_long").refine(isLine, "invalid");
  return options.blank ? line.meta({ pattern: linePattern }) : line.min(1, "blank").meta({ pattern: textPattern });
}
