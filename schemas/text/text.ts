import * as z from "zod";

// Matches control characters, line separators and lone surrogates, which are not allowed in names and labels.
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Returns whether a text is one line without control characters, line separators or lone surrogates. */
export function isLine(text: string): boolean {
  return !unprintable.test(text);
}

// The characters of `unprintable` except lone surrogates, for the patterns in the OpenAPI document. Only patterns without
// Unicode properties work in every regex dialect.
const controls = "\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029";
/** Patterns for one line, for one line that is not blank, and for several lines. */
export const linePattern = `^[^${controls}]*$`;
export const textPattern = `^[^${controls}]*[^\\s\\ufeff${controls}][^${controls}]*$`;
export const linesPattern = linePattern.replace(controls, "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u2028\\u2029");

/** A trimmed line of at most `max` characters. Error codes: `invalid`, `too_long`, and `blank` unless `blank` is allowed. */
export function lineSchema(max: number, options: { blank?: boolean } = {}) {
  const line = z.string("invalid").trim().max(max, "too_long").refine(isLine, "invalid");
  return options.blank ? line.meta({ pattern: linePattern }) : line.min(1, "blank").meta({ pattern: textPattern });
}
