import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { action_deliveries } from "../../db/kit/webhooks";
import { type Platform, startIsolatedPlatform } from "../support/platform/platform";
import { signInAt } from "../support/platform/platform-session";

let platform: Platform;
let owner: string;

beforeAll(async () => {
  platform = await startIsolatedPlatform({}, { withEventSource: true });
  owner = await signInAt(platform, "owner@example.com");
});
afterAll(() => platform?.close());

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${platform.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${owner}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Creates an email rule of the company that sends a template of the library. */
async function createRule(rule: object): Promise<{ id: number }> {
  const { templates } = await call<{ templates: { id: number; key: string }[] }>("GET", "/email/api/v1/library");
  const design = templates.find(({ key }) => key === "barebone.text-only");
  return call("POST", "/email/api/v1/rules", { content: { library_id: design?.id }, ...rule });
}

type MessageList = { messages: { id: string }[] };
type DecisionList = { decisions: { event_type: string; reason: string }[] };

/** Returns the trace of the newest message of an event type. */
async function readTrace(eventType: string): Promise<unknown> {
  const { messages } = await call<MessageList>("GET", `/email/api/v1/messages?event_type=${eventType}`);
  return (await call<{ trace: unknown }>("GET", `/email/api/v1/messages/${messages[0]?.id}`)).trace;
}

/** Returns the results of a service's event deliveries to email, oldest first: status, attempts and error. */
async function readDeliveries(service: "identity" | "hosting", type: string) {
  const { readRows } = platform.rows[service];
  const rows = await readRows(
    action_deliveries,
    and(eq(action_deliveries.kind, "email"), eq(action_deliveries.event_type, type)),
  );
  return rows.map(({ status, attempt_count, last_error }) => [status, attempt_count, last_error]);
}

it("mails a member about a change of their access when an email rule exists", async () => {
  const event_type = "identity.user.updated";
  await signInAt(platform, "mina@example.com");
  const { results } = await call<{ results: { id: number; email: string }[] }>("GET", "/identity/api/v1/users");
  const member = results.find(({ email }) => email === "mina@example.com");
  const change = (body: object) => call("PUT", `/identity/api/v1/users/${member?.id}`, body);
  // Without a rule, the email service accepts the event and creates no message, so the cron run must not send the event
  // again.
  await change({ first_name: "Mina" });
  await expect.poll(() => readDeliveries("identity", event_type)).toEqual([["delivered", 1, null]]);
  await platform.runCron();
  expect(await readDeliveries("identity", event_type)).toEqual([["delivered", 1, null]]);
  const { decisions } = await call<DecisionList>("GET", `/email/api/v1/decisions?event_type=${event_type}`);
  expect(decisions).toMatchObject([{ event_type, reason: "no_rule" }]);
  const rule = await createRule({ event_type });
  await change({ is_active: false });
  // The first mail is the sign-in mail.
  const mail = await platform.inbox.waitForMail("mina@example.com", 2);
  expect(mail.subject).toMatch(/profile|details|changed/i);
  expect(mail.text).toMatch(/Changed: .*access/i);
  // The account can no longer be opened.
  expect(mail.text).not.toContain("View the account");
  expect(mail.text).toContain("Hi Mina,");
  expect(await readTrace(event_type)).toMatchObject({ rule_id: rule.id, content: { source: "copy", version: 1 } });
});

it("mails the recipients of the company's email rules about a failed deployment", async () => {
  const type = "hosting.deployment.failed";
  await createRule({
    event_type: type,
    recipient_mode: "static",
    static_recipients: ["ops@example.com"],
    language: "fr",
  });
  await createRule({ event_type: type });
  const event = {
    company_id: 1,
    type,
    ids: [crypto.randomUUID()],
    email: "leo@example.com",
    data: { display_name: "Field Notes", app_version: "1.4.0", error: "artifact_extract_failed" },
  };
  const stored = await platform
    .worker("event-source")
    .fetch("http://event-source/event-source/emit", { method: "POST", body: JSON.stringify(event) });
  expect(await stored.json()).toEqual({ stored: 1 });
  const [staticMail, hintedMail] = [
    await platform.inbox.waitForMail("ops@example.com"),
    await platform.inbox.waitForMail("leo@example.com"),
  ];
  for (const mail of [staticMail, hintedMail]) expect(mail.text).toContain("Field Notes");
  expect(staticMail.subject).not.toBe(hintedMail.subject);
  expect(await readDeliveries("hosting", type)).toEqual([["delivered", 1, null]]);
});

// The platform of this file has the default rate limits; the shared platform has higher ones.
it("mails every accepted sign-in link, and rejects requests above the rate limit with Retry-After", async () => {
  const email = "impatient@example.com";
  const requestLink = () =>
    fetch(`${platform.url}/identity/api/v1/magic-link/request`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ company_id: 1, email, redirect_to: `${platform.url}/` }),
    });
  const startedAt = Date.now();
  for (let mails = 1; mails <= 5; mails++) {
    expect((await requestLink()).status).toBe(200);
    await platform.inbox.waitForMail(email, mails);
  }
  const response = await requestLink();
  expect([response.status, ((await response.json()) as { error_code: string }).error_code]).toEqual([
    429,
    "rate_limited",
  ]);
  const retryAfter = Number(response.headers.get("retry-after"));
  const elapsedSeconds = (Date.now() - startedAt) / 1000;
  expect(retryAfter).toBeGreaterThanOrEqual(Math.floor(600 - elapsedSeconds));
  expect(retryAfter).toBeLessThanOrEqual(600);
});
