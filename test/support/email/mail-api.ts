import { vi } from "vitest";

/** A mail as the mail API was given it. */
export type SentMail = { from: string; to: string[]; subject: string; html: string; text: string; tags?: unknown };

/** Plays the mail API for the whole Worker and records what it is sent; `refuse`: the status of a refusal. */
export function recordMails(options: { refuse?: number } = {}): SentMail[] {
  const mails: SentMail[] = [];
  vi.stubGlobal("fetch", async (_url: string, init: RequestInit) => {
    mails.push(JSON.parse(String(init.body)) as SentMail);
    return options.refuse === undefined
      ? Response.json({ id: `sent-${mails.length}` })
      : new Response("no", { status: options.refuse });
  });
  return mails;
}
