import { fieldsOf } from "../../session/adapters/call.ts";
import { forgetPendingLink, pendingKey } from "../../session/pending-key.ts";

/** A link that was sent and is waited for. Times in ms of the machine's clock. */
export type PendingLink = {
  email: string;
  at: number;
  /** how often a message was asked for */
  sent: number;
  /** when the next one may be asked for */
  resendAt: number;
  /** tries of the typed code that are left */
  tries: number;
};

const LIFE = 30 * 60_000;
const TRIES = 5;
const waits = [60_000, 120_000, 240_000];

/** A message was asked for, after `last` of the same address. */
export function sentLink(email: string, last: PendingLink | null, now = Date.now()): PendingLink {
  const sent = (last?.email === email ? last.sent : 0) + 1;
  const wait = waits[Math.min(sent, waits.length) - 1] ?? 0;
  return { email, at: now, sent, resendAt: now + wait, tries: TRIES };
}

/** When the link of the last message ends, as the language writes a time; with the day when that is another one. */
export function endOfLink({ at }: PendingLink, seconds: number, language: string): string {
  const end = new Date(at + seconds * 1000);
  const isSameDay = end.toDateString() === new Date(at).toDateString();
  // With the hour alone "numeric" drops the zero that French writes.
  const style = isSameDay
    ? ({ timeStyle: "short" } as const)
    : ({ weekday: "long", hour: "numeric", minute: "2-digit" } as const);
  return new Intl.DateTimeFormat(language, style).format(end);
}

/** What this tab waits for. */
export function loadPending(now = Date.now()): PendingLink | null {
  try {
    const { email, at, sent, resendAt, tries } = fieldsOf(JSON.parse(sessionStorage.getItem(pendingKey) ?? "null"));
    if (typeof email !== "string" || typeof at !== "number" || now - at > LIFE) return null;
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
    // Without storage it is forgotten with the page.
  }
}

/** What counts of a typed code: letters and digits, in capitals. */
export const plainCode = (typed: string): string => typed.toUpperCase().replace(/[^0-9A-Z]/g, "");

/** A code as the mail shows it, in groups of four. */
export const groupedCode = (plain: string): string => plain.replace(/(.{4})(?=.)/g, "$1-");

/** An address that can be one: something, an @, and a domain with a dot. Services judge the rest. */
export const isAddress = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(text.trim());
