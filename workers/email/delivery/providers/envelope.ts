import { checkHeaderText, normalizeAddress } from "../mime/mail-address";
import type { OutgoingMail } from "./types";

/** The addresses of a mail, with domains in ASCII. */
export type Envelope = { from: string; to: string; replyTo?: string };

/**
 * Returns the addresses of a mail for a provider that composes the MIME itself. Throws `UnsendableMailError` when a header or
 * an address would break the mail.
 */
export function checkEnvelope(mail: OutgoingMail): Envelope {
  checkHeaderText("subject", mail.subject);
  checkHeaderText("from.name", mail.from.name);
  for (const [name, value] of Object.entries(mail.headers ?? {})) checkHeaderText("headers", name + value);
  return {
    from: normalizeAddress("from.address", mail.from.address),
    to: normalizeAddress("to", mail.to),
    ...(mail.replyTo ? { replyTo: normalizeAddress("replyTo", mail.replyTo) } : {}),
  };
}

/** Returns whether a value can be stored as the id that a provider gave a message. */
export function isProviderId(id: unknown): id is string {
  return typeof id === "string" && /^[!-~]{1,200}$/.test(id);
}

/** The longest wait before a retry that a provider may request, in seconds. */
export const MAX_RETRY_AFTER_SECONDS = 3600;
