import { isLine, lineSchema } from "./text";

// Mails carry names to other people, also in the subject of a mail from the platform's address. So a name hides nothing,
// shows something, and has nothing that a mail program makes a link of.

/** Format characters: what is invisible, and what turns the direction of the text around it. */
const format = /\p{Cf}/u;
const formats = /\p{Cf}+/gu;
/** What leaves no mark on its own: blanks, format characters, fillers, variation selectors, the blank Braille pattern. */
const traceless = /^[\s\p{Z}\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]*$/u;
/**
 * A scheme, `www.`, an address, or a domain: a dot that stands right between a label and at least two letters. An initial
 * is no label (`J.R.R. Tolkien`, `E.Leclerc`) unless a path follows, and what is written apart is no domain (`St. John`,
 * `A.B. Corp`).
 */
const link =
  /:\/\/|[Ww]{3}\.\S|[^\s@]@[^\s@]+\.[^\s@]|\p{L}[.\u3002]\p{L}{2,}\/|(?:[\p{L}\p{N}-]{2}|[\p{Ll}\p{N}])[.\u3002](?:\p{L}{2}|[Xx][Nn]--)/u;
/** What a link that is no link any more is written with. */
const punctuation = /[^\p{L}\p{M}\p{N}\p{Cc}'’&-]+/gu;

// What the document promises: words in the larger scripts, since patterns hold in every dialect only without properties. The
// rule above takes more.
const letters =
  "0-9A-Za-z\\u00c0-\\u024f\\u0386\\u0388-\\u03ce\\u0400-\\u045f\\u0531-\\u0556\\u0561-\\u0586\\u05d0-\\u05ea\\u0620-\\u064a" +
  "\\u0904-\\u094d\\u0e01-\\u0e30\\u1e00-\\u1eff\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-\\u9fff\\uac00-\\ud7a3";

/** A name in documents. */
export const namePattern = `^[${letters}](?:[${letters} '’&(),-]|\\. )*\\.?$`;

/** Compatibility forms are normalized, because mail programs show them as the plain characters. */
const hasLink = (text: string) => link.test(text.normalize("NFKC"));

/** Whether a text leaves no mark where it is shown; "" does not. */
export const isTraceless = (text: string): boolean => traceless.test(text);

/** Whether a text may be the name of a company or person; "" may. */
export function isName(text: string): boolean {
  return isLine(text) && !format.test(text) && !hasLink(text) && (text === "" || !isTraceless(text));
}

/** A trimmed name of at most `max` characters; codes `invalid`, `too_long` and, unless `blank`, `blank`. */
export function nameSchema(max: number, options: { blank?: boolean } = {}) {
  const pattern = options.blank ? `^$|${namePattern}` : namePattern;
  return lineSchema(max, options)
    .refine((name) => !isLine(name) || isName(name), "invalid")
    .meta({ pattern });
}

/**
 * A name from elsewhere, or from before this rule, as it may be shown: without format characters, and links taken apart
 * into words. Control characters stay, so that the caller can reject them; "" when nothing is left.
 */
export function plainName(text: string): string {
  const visible = text.replace(formats, "").trim();
  const name = hasLink(visible) ? visible.normalize("NFKC").replace(punctuation, " ").trim() : visible;
  return traceless.test(name) ? "" : name;
}
