import { afterAll, beforeAll, expect, it } from "vitest";
import type { Platform } from "../support/platform/platform";
import { signInAt } from "../support/platform/platform-session";
import { sharePlatform } from "../support/platform/shared-platform";

let platform: Platform;
let owner = "";
beforeAll(async () => {
  platform = await sharePlatform();
  owner = await signInAt(platform, "owner@example.com");
});
afterAll(() => platform?.close());

async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${platform.url}/identity/api/v1/invitations${path}`, {
    method,
    headers: { authorization: `Bearer ${owner}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return (await response.json()) as Record<string, unknown>;
}

const freshAddress = () => `invited-${crypto.randomUUID().slice(0, 8)}@example.com`;

it("mails an invitation whose page leads to the application, and admits the invited user", async () => {
  const email = freshAddress();
  const { id } = await call("POST", "", { email, language: "fr" });
  const mail = await platform.inbox.waitForMail(email);
  expect(mail.subject).toMatch(/ vous invite à rejoindre /);
  expect(mail.text).toMatch(/valable 14\sjours/);
  const link = /http\S+\/invitations\/open\?token=\S+/.exec(mail.text)?.[0] ?? "";
  const page = await fetch(link, { headers: { accept: "text/html" } });
  expect([page.status, await page.text()]).toEqual([200, expect.stringMatching(/href="http[^"]+\/login"/)]);
  await expect.poll(async () => (await call("GET", `/${id}`)).mail_state).toBe("sent");
  await platform.inbox.clear();
  expect(await signInAt(platform, email)).toMatch(/^ey/);
  expect(await call("GET", `/${id}`)).toMatchObject({ status: "accepted" });
});

it("mails a revocation to an invited address", async () => {
  const email = freshAddress();
  const { id } = await call("POST", "", { email });
  await platform.inbox.waitForMail(email);
  await expect.poll(async () => (await call("GET", `/${id}`)).mail_state).toBe("sent");
  expect(await call("POST", `/${id}/revoke`)).toMatchObject({ status: "revoked" });
  const mail = await platform.inbox.waitForMail(email, 2);
  expect(mail.text).toContain(`The invitation that was sent to ${email} no longer works.`);
});
