import { isLine, lineSchema } from "./text";

// Mails show names to other people, even in the subject of a mail from the platform. Therefore a name must be visible, must
// not contain invisible characters, and must not contain anything that a mail client turns into a link.

/** Matches format characters. They are invisible or change the direction of the surrounding text. */
const format = /\p{Cf}/u;
const formats = /\p{Cf}+/gu;
/** Matches text without visible characters: blanks, format characters, fillers, variation selectors, blank Braille patterns. */
const invisible = /^[\s\p{Z}\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]*$/u;
/**
 * Matches a scheme, `www.`, an address or a domain. A domain is a label, a dot and at least two letters, without spaces
 * (`St. John` and `A.B. Corp` do not match). A single capital letter is not a label (`J.R.R. Tolkien`, `E.Leclerc`) unless a
 * path follows.
 */
const link =
  /:\/\/|[Ww]{3}\.\S|[^\s@]@[^\s@]+\.[^\s@]|\p{L}[.\u3002]\p{L}{2,}\/|(?:[\p{L}\p{N}-]{2}|[\p{Ll}\p{N}])[.\u3002](?:\p{L}{2}|[Xx][Nn]--)/u;
/** Matches the characters that `plainName` replaces by spaces, so that a link becomes plain words. */
const punctuation = /[^\p{L}\p{M}\p{N}\p{Cc}'’&-]+/gu;

// The letters of the larger scripts, for the pattern in the OpenAPI document. Only patterns without Unicode properties work in
// every regex dialect. `isName` accepts more names than this pattern.
const letters =
  "0-9A-Za-z\\u00c0-\\u024f\\u0386\\u0388-\\u03ce\\u0400-\\u045f\\u0531-\\u0556\\u0561-\\u0586\\u05d0-\\u05ea\\u0620-\\u064a" +
  "\\u0904-\\u094d\\u0e01-\\u0e30\\u1e00-\\u1eff\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-\\u9fff\\uac00-\\ud7a3";

/** A pattern for names in the OpenAPI document. */
export const namePattern = `^[${letters}](?:[${letters} '’&(),-]|\\. )*\\.?$`;

// Punctuation and symbols of the Latin script. `isVisibleLine` accepts more texts than the pattern.
const symbols = "!-/:-@[-`{-~\\u00a1-\\u00ac\\u00ae-\\u00bf";

/** A pattern for one visible line, or "", in the OpenAPI document. */
export const visibleLinePattern = `^(?:[${letters}${symbols}][${letters}${symbols} ]*)?$`;

/** Returns whether a text contains a link. Compatibility characters count as plain ones, because mail clients show them so. */
const hasLink = (text: string) => link.test(text.normalize("NFKC"));

/** Returns whether a text has no visible characters. True for "". */
export const isInvisible = (text: string): boolean => invisible.test(text);

/** Returns whether a text is one line without invisible characters and characters that change the text direction. True for "". */
export function isVisibleLine(text: string): boolean {
  return isLine(text) && !format.test(text) && (text === "" || !isInvisible(text));
}

/** Returns whether a text may be the name of a company or person. True for "". */
export function isName(text: string): boolean {
  return isVisibleLine(text) && !hasLink(text);
}

/** A trimmed name of at most `max` characters. Error codes: `invalid`, `too_long`, and `blank` unless `blank` is allowed. */
export function nameSchema(max: number, options: { blank?: boolean } = {}) {
  const pattern = options.blank ? `^$|${namePattern}` : namePattern;
  return lineSchema(max, options)
    .refine((name) => !isLine(name) || isName(name), "invalid")
    .meta({ pattern });
}

/**
 * Returns a form of a name that is safe to show, for names that were not validated by `isName`. It removes format characters
 * and splits links into words. Control characters are kept, so that the caller can reject them. Returns "" when nothing
 * visible remains.
 */
export function plainName(text: string): string {
  const visible = text.replace(formats, "").trim();
  const name = hasLink(visible) ? visible.normalize("NFKC").replace(punctuation, " ").trim() : visible;
  return invisible.test(name) ? "" : name;
}
