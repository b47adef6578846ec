import { fieldsOf } from "../../session/adapters/call.ts";
import { forgetPendingLink, pendingKey } from "../../session/pending-key.ts";

/** A sent link that this tab waits for. Times in ms since the epoch. */
export type PendingLink = {
  email: string;
  at: number;
  /** number of messages requested */
  sent: number;
  /** when the next message may be requested */
  resendAt: number;
  /** remaining tries of the typed code */
  tries: number;
};

const MAX_AGE = 30 * 60_000;
const TRIES = 5;
/** Length of the codes of identity, which are shown in two groups. */
const GROUPED_LENGTH = 8;
const resendDelays = [60_000, 120_000, 240_000];

/** Returns the pending link after a message was requested. Continues the count of `last` if the address is the same. */
export function sentLink(email: string, last: PendingLink | null, now = Date.now()): PendingLink {
  const sent = (last?.email === email ? last.sent : 0) + 1;
  const delay = resendDelays[Math.min(sent, resendDelays.length) - 1] ?? 0;
  return { email, at: now, sent, resendAt: now + delay, tries: TRIES };
}

/** Formats the lifetime of a link, given in seconds: in hours when it is a whole number of at least two, else in minutes. */
export function formatLifetime(seconds: number, language: string): string {
  const minutes = Math.max(1, Math.round(seconds / 60));
  const [count, unit] = minutes >= 120 && minutes % 60 === 0 ? [minutes / 60, "hour"] : [minutes, "minute"];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count);
}

/** Returns the link that this tab waits for, or null. */
export function loadPending(now = Date.now()): PendingLink | null {
  try {
    const { email, at, sent, resendAt, tries } = fieldsOf(JSON.parse(sessionStorage.getItem(pendingKey) ?? "null"));
    if (typeof email !== "string" || typeof at !== "number" || now - at > MAX_AGE) return null;
    if (typeof sent !== "number" || typeof resendAt !== "number" || typeof tries !== "number") return null;
    return { email, at, sent, resendAt, tries };
  } catch {
    return null;
  }
}

export function savePending(pending: PendingLink | null): void {
  if (pending === null) {
    forgetPendingLink();
    return;
  }
  try {
    sessionStorage.setItem(pendingKey, JSON.stringify(pending));
  } catch {
    // Without storage, the pending link is lost when the page closes.
  }
}

/** Returns the letters and digits of a typed code in upper case. */
export const plainCode = (typed: string): string => typed.toUpperCase().replace(/[^0-9A-Z]/g, "");

/**
 * Returns the code in a pasted text, such as a whole line of the email, as letters and digits. Returns null if there is none. Codes
 * of identity have no vowels, and codes of a Supabase project only digits, so a word is no code and uses up no try.
 */
export function findCode(text: string, length: number): string | null {
  const grouped = /\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/i.exec(text)?.[0];
  const plain = plainCode(grouped ?? text);
  const isCode = length === GROUPED_LENGTH ? !/[AEIOU]/.test(plain) : /^\d+$/.test(plain);
  return plain.length === length && isCode ? plain : null;
}

/** Formats a code in groups of four, as the email shows it. */
export const groupedCode = (plain: string): string => plain.replace(/(.{4})(?=.)/g, "$1-");

/** Returns whether a text has an @ and a domain with a dot. The service validates the rest of the address. */
export const isAddress = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(text.trim());
