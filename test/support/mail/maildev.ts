import { mkdir } from "node:fs/promises";
import { startMaildev } from "../../../scripts/support/start/maildev.ts";

/** A message as maildev's REST API returns it. */
export type Mail = {
  id: string;
  subject: string;
  text: string;
  html: string;
  from: { address: string; name: string }[];
  to: { address: string; name: string }[];
  headers: Record<string, string>;
  /** `length` is in bytes; `checksum` is the MD5 of the content in hex. Undefined without attachments. */
  attachments?: { fileName: string; contentType: string; contentId?: string; length: number; checksum: string }[];
};

export type Inbox = {
  /** returns the URL of the message's HTML part */
  pageOf(mail: Mail): string;
  /** returns all messages to an address, oldest first */
  mailsTo(address: string): Promise<Mail[]>;
  /** waits for the `count`th message to an address; throws after 20 s */
  waitForMail(address: string, count?: number): Promise<Mail>;
  /** stops the mail server; `start` restarts it on the same ports with the same messages */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** deletes all messages */
  clear(): Promise<void>;
  /** kills the mail server */
  kill(): void;
};

const timeoutMs = 20_000;

/** Starts a real SMTP server with a web inbox on 127.0.0.1. */
export async function startInbox(ports: { smtp: number; web: number }, directory: string): Promise<Inbox> {
  await mkdir(directory, { recursive: true });
  let child = await startMaildev(ports, directory);
  const base = `http://127.0.0.1:${ports.web}`;
  const mailsTo = async (address: string): Promise<Mail[]> => {
    const all = (await (await fetch(`${base}/email`)).json()) as Mail[];
    return all.filter((mail) => mail.to.some((to) => to.address === address));
  };
  return {
    pageOf: (mail) => `${base}/email/${mail.id}/html`,
    mailsTo,
    waitForMail: async (address, count = 1) => {
      const end = Date.now() + timeoutMs;
      for (;;) {
        const mail = (await mailsTo(address))[count - 1];
        if (mail) return mail;
        if (Date.now() > end) throw new Error(`message ${count} to ${address} did not arrive`);
        await new Promise((wait) => setTimeout(wait, 100));
      }
    },
    stop: () => child.stop(),
    start: async () => {
      child = await startMaildev(ports, directory);
    },
    clear: async () => {
      const response = await fetch(`${base}/email/all`, { method: "DELETE" });
      if (!response.ok) throw new Error(`the inbox was not cleared: ${response.status}`);
    },
    kill: () => void child.process.kill("SIGKILL"),
  };
}

/** Returns the sign-in link and the code in the text part of a sign-in mail. */
export function readSignInMail(mail: Mail): { link: string; code: string } {
  const link = /https?:\/\/\S+\/api\/v1\/magic-link\/verify\?\S+/.exec(mail.text)?.[0];
  const code = /\b[2-9BCDFGHJKMNPQRSTVWXYZ]{4}-[2-9BCDFGHJKMNPQRSTVWXYZ]{4}\b/.exec(mail.text)?.[0];
  if (!link || !code) throw new Error(`no sign-in link or code in: ${mail.subject}`);
  return { link, code };
}
