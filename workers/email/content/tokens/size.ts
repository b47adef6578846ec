import { utf8ToBytes } from "../../../kit/crypto/encoding";

/** Maximum total size of HTML and text in UTF-8 bytes. Real mails are far smaller. */
export const MAX_MAIL_BYTES = 2_000_000;

/** Thrown when the HTML and text of a mail exceed MAX_MAIL_BYTES. */
export class MailTooLargeError extends Error {
  override name = "MailTooLargeError";

  constructor() {
    super(`HTML and text of the mail are larger than ${MAX_MAIL_BYTES} bytes`);
  }
}

/** The number of remaining characters. Below zero, the limit is exceeded and nothing more is added. */
export type SizeBudget = { left: number };

/** Returns the text and reduces the budget, or returns "" when the budget is exhausted. */
export function consumeBudget(budget: SizeBudget, text: string): string {
  budget.left -= text.length;
  return budget.left < 0 ? "" : text;
}

/** Returns whether HTML and text together exceed MAX_MAIL_BYTES. */
export function isTooLarge({ html, text }: { html: string; text: string }): boolean {
  const characters = html.length + text.length;
  // UTF-8 needs at most three bytes per UTF-16 code unit.
  if (characters > MAX_MAIL_BYTES || characters * 3 <= MAX_MAIL_BYTES) return characters > MAX_MAIL_BYTES;
  return utf8ToBytes(html).length + utf8ToBytes(text).length > MAX_MAIL_BYTES;
}
