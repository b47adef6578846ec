import { vi } from "vitest";

/** A mail as the mail API received it. */
export type SentMail = { from: string; to: string[]; subject: string; html: string; text: string; tags?: unknown };

/** Replaces `fetch` with a mail API that records mails. With a `status`, the API rejects them with that status. */
export function recordMails(options: { status?: number } = {}): SentMail[] {
  const mails: SentMail[] = [];
  vi.stubGlobal("fetch", async (_url: string, init: RequestInit) => {
    mails.push(JSON.parse(String(init.body)) as SentMail);
    return options.status === undefined
      ? Response.json({ id: `sent-${mails.length}` })
      : new Response("no", { status: options.status });
  });
  return mails;
}
