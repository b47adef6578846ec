import { afterAll, beforeAll, expect, it } from "vitest";
import { readSignInMail } from "../support/mail/maildev";
import { type Platform, startPlatform } from "../support/platform/platform";

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform();
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
  const answer = await call("POST", "/magic-link/verify", { company_id: 1, email, code });
  return ((await answer.json()) as { access_token: string }).access_token;
}

const messages = () =>
  platform.rows<{ to_masked: string }>("email", "SELECT to_masked FROM messages ORDER BY to_masked");

it("takes the mails to the address along at the email service, and leaves those to others", async () => {
  await signIn("anna@example.com");
  const bearer = await signIn("mina@example.com");
  expect(await messages()).toHaveLength(2);
  expect((await call("DELETE", "/user", { confirm: true }, bearer)).status).toBe(204);
  await expect.poll(messages, { timeout: 10_000 }).toEqual([{ to_masked: "a***@example.com" }]);
  const outbox = () => platform.rows("identity", "SELECT state, sealed FROM mail_outbox WHERE kind = 'erasure'");
  await expect.poll(outbox, { timeout: 10_000 }).toEqual([{ state: "sent", sealed: null }]);
  expect(await platform.rows("identity", "SELECT 1 FROM users WHERE email = 'mina@example.com'")).toEqual([]);
});
