import { utf8ToBytes } from "../../../kit/crypto/encoding";

/** What HTML and text of a mail have together at most, in bytes of UTF-8: no mail that people read comes near it. */
export const MAX_MAIL_BYTES = 2_000_000;

/** HTML and text of a document are larger than those of a mail may be. */
export class MailTooLargeError extends Error {
  override name = "MailTooLargeError";

  constructor() {
    super("the mail is larger than one may be");
  }
}

/** What may still be put in, in characters. Below zero it was too much, and nothing more is: no text grows without end. */
export type SizeBudget = { left: number };

/** The text, or "" when there is no room for it. */
export function consumeBudget(budget: SizeBudget, text: string): string {
  budget.left -= text.length;
  return budget.left < 0 ? "" : text;
}

/** Whether the parts of a mail are larger than one may be. */
export function isTooLarge({ html, text }: { html: string; text: string }): boolean {
  const characters = html.length + text.length;
  // A character has at most three bytes for each of its 16-bit units.
  if (characters > MAX_MAIL_BYTES || characters * 3 <= MAX_MAIL_BYTES) return characters > MAX_MAIL_BYTES;
  return utf8ToBytes(html).length + utf8ToBytes(text).length > MAX_MAIL_BYTES;
}
