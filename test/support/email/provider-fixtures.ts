import { inject } from "vitest";
import type { OutgoingMail, SmtpConfig } from "../../../workers/email/delivery/providers/types";

/** Returns a mail with a unique message id and recipient. */
export function createMail(changes: Partial<OutgoingMail> = {}): OutgoingMail {
  const id = crypto.randomUUID().replaceAll("-", "");
  return {
    messageId: `msg_${id}`,
    from: { name: "Example Mail", address: "news@sender.example.test" },
    to: `reader-${id}@example.test`,
    subject: "A subject",
    html: "<p>Hello</p>",
    text: "Hello",
    acceptedAt: Date.UTC(2026, 10, 21, 12),
    lane: "transactional",
    companyId: 7,
    requestId: "req-1",
    ...changes,
  };
}

export function createSmtpConfig(port: number, changes: Partial<SmtpConfig> = {}): SmtpConfig {
  return {
    host: "localhost",
    port,
    username: "",
    password: "",
    useTls: false,
    useSsl: false,
    timeoutMs: 20_000,
    checkPublicHost: false,
    ...changes,
  };
}

/** Returns what a test server has recorded under a key (see test/support/mail/mail-servers.ts), or null. */
export async function readRecord<T>(key: string): Promise<T | null> {
  const response = await fetch(`${inject("mailServers").control}/recorded?key=${encodeURIComponent(key)}`);
  return response.json();
}
