import { and, eq, gte, like } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { messages } from "../../db/email/schema";
import { mail_outbox, users } from "../../db/identity/schema";
import { readSignInMail } from "../support/mail/maildev";
import type { Platform } from "../support/platform/platform";
import { sharePlatform } from "../support/platform/shared-platform";

let platform: Platform;
beforeAll(async () => {
  platform = await sharePlatform();
});
afterAll(() => platform?.close());

function call(method: string, path: string, body: unknown, bearer?: string): Promise<Response> {
  return fetch(`${platform.url}/identity/api/v1${path}`, {
    method,
    headers: { "content-type": "application/json", ...(bearer ? { authorization: `Bearer ${bearer}` } : {}) },
    body: JSON.stringify(body),
  });
}

async function signIn(email: string): Promise<string> {
  await call("POST", "/magic-link/request", { company_id: 1, email, redirect_to: `${platform.url}/` });
  const { code } = readSignInMail(await platform.inbox.waitForMail(email));
  const response = await call("POST", "/magic-link/verify", { company_id: 1, email, code });
  return ((await response.json()) as { access_token: string }).access_token;
}

const readRecipients = async () =>
  (await platform.rows.email.readRows(messages, like(messages.to_masked, "%@erasure.example.com")))
    .map(({ to_masked }) => to_masked)
    .sort();

it("deletes a deleted account's mails in the email service and keeps those of others", async () => {
  const startedAt = Date.now();
  await signIn("anna@erasure.example.com");
  const bearer = await signIn("mina@erasure.example.com");
  expect(await readRecipients()).toHaveLength(2);
  expect((await call("DELETE", "/user", { confirm: true }, bearer)).status).toBe(204);
  await expect.poll(readRecipients).toEqual(["a***@erasure.example.com"]);
  const erasures = () =>
    platform.rows.identity.readRows(
      mail_outbox,
      and(eq(mail_outbox.kind, "erasure"), gte(mail_outbox.created_at, startedAt)),
    );
  await expect.poll(erasures).toMatchObject([{ state: "sent", sealed: null }]);
  expect(await platform.rows.identity.countRows(users, eq(users.email, "mina@erasure.example.com"))).toBe(0);
});
