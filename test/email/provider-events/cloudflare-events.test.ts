import { eq } from "drizzle-orm";
import { expect, it, vi } from "vitest";
import type { MessageRow } from "../../../db/email/rows";
import { messages, provider_events, suppressions } from "../../../db/email/schema";
import { applyStoredEvents } from "../../../workers/email/delivery/provider-events/receive";
import { startDelivery } from "../../support/email/delivery";
import { createCompany, startEmail } from "../../support/email/email";
import { consume } from "../../support/email/events";
import { readMessage, storeMessage } from "../../support/email/messages";
import { readRows, updateRows } from "../../support/email/rows";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

const email = await startEmail();

/** Stores a message that Cloudflare accepted under the provider id `cf-{company}`. */
async function storeSent(row: Partial<MessageRow> = {}) {
  const company = createCompany();
  const providerMessageId = `cf-${company}`;
  const id = await storeMessage(company, {
    status: "sent",
    rank: 10,
    sent_at: Date.now() - 3000,
    lane: "transactional",
    provider: "cloudflare",
    provider_message_id: providerMessageId,
    ...row,
  });
  return { company, id, providerMessageId };
}

/** Returns an event in the form of Cloudflare's documentation. */
const sendingEvent = (type: string, messageId: string, payload: object = {}, source: object = {}) => ({
  type: `cf.email.sending.message.${type}`,
  source: { type: "email.sending", zoneId: "023e105f4ecef8ad", domain: "platform.example.com", ...source },
  payload: {
    eventId: crypto.randomUUID(),
    messageId,
    sender: "no-reply@platform.example.com",
    recipient: "mina@example.net",
    subject: "Welcome",
    terminal: true,
    ...payload,
  },
  metadata: { accountId: "f9f79265f388666d", eventSchemaVersion: 1, eventTimestamp: "2026-06-01T02:48:57.132Z" },
});

const receive = (...events: unknown[]) => consume(email.bindings, "email-events", events);
const suppressionsOf = (company: number) => readRows(suppressions, eq(suppressions.company_id, company));
const storedEvents = (providerMessageId: string) =>
  readRows(provider_events, eq(provider_events.provider_message_id, providerMessageId));

const smtp = { bounce: { type: "hard", reason: "550 5.1.1 User unknown" } };

it.each([
  ["delivered", { delivery: { smtpResponse: "250 2.0.0 OK" } }, "delivered", null, "250 2.0.0 OK", []],
  ["deferred", { bounce: { type: "soft", reason: "451 busy" } }, "delivery_delayed", null, "451 busy", []],
  ["bounced", smtp, "bounced", "permanent", "550 5.1.1 User unknown", ["hard_bounce"]],
  ["bounced", { bounce: { type: "soft", reason: "452 full" } }, "bounced", "transient", "452 full", []],
  ["bounced", {}, "bounced", "undetermined", undefined, []],
  ["failed", { failure: { reason: "delivery_failed" } }, "failed", null, "delivery_failed", []],
  [
    "rejected",
    { rejection: { reason: "suppressed", detail: "is suppressed" } },
    "suppressed",
    null,
    "is suppressed",
    ["provider"],
  ],
  ["rejected", { rejection: { reason: "spam" } }, "failed", null, "spam", []],
  ["complained", { complaint: { type: "abuse" } }, "complained", null, undefined, ["complaint"]],
])("applies message.%s %j", async (type, payload, status, bounceType, detail, reasons) => {
  const { company, id, providerMessageId } = await storeSent();
  await receive(sendingEvent(type, providerMessageId, payload));
  const message = await readMessage(id);
  expect([message.status, message.bounce?.type ?? null]).toEqual([status, bounceType]);
  const step = { type: status, at: expect.any(Number), stream: "cloudflare" };
  expect(message.events).toEqual([detail === undefined ? step : { ...step, detail }]);
  expect((await suppressionsOf(company)).map(({ reason }) => reason)).toEqual(reasons);
});

it.each(["email-events", "platform-staging-email-events"])("applies events from the queue %s", async (queue) => {
  const { id, providerMessageId } = await storeSent();
  await consume(email.bindings, queue, [sendingEvent("delivered", providerMessageId)]);
  expect((await readMessage(id)).status).toBe("delivered");
});

it("applies an event once, also when its queue message arrives again", async () => {
  const { id, providerMessageId } = await storeSent();
  const event = sendingEvent("delivered", providerMessageId);
  await receive(event, event);
  await receive(event);
  expect((await readMessage(id)).events).toHaveLength(1);
});

it("keeps an event until the provider id of its message is stored", async () => {
  const { id, providerMessageId } = await storeSent({ provider_message_id: null });
  await receive(sendingEvent("delivered", providerMessageId));
  expect((await readMessage(id)).status).toBe("sent");
  const [stored] = await storedEvents(providerMessageId);
  expect([stored?.signing_scope, stored?.applied]).toEqual(["platform", false]);
  await updateRows(messages, { provider_message_id: providerMessageId }, eq(messages.id, id));
  await applyStoredEvents(startDelivery().build(), [providerMessageId]);
  expect((await readMessage(id)).status).toBe("delivered");
});

it("does not change messages that a company's own provider sent", async () => {
  const { id, providerMessageId } = await storeSent({ scope: "company", provider: "api" });
  await receive(sendingEvent("bounced", providerMessageId, smtp));
  expect(await readMessage(id)).toMatchObject({ status: "sent", events: [] });
});

it("ignores malformed messages and events of other sources, types and domains, and logs no addresses", async () => {
  const lines: string[] = [];
  for (const level of ["log", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation((line) => void lines.push(String(line)));
  const { id, providerMessageId } = await storeSent();
  const about = (payload: object, source: object = {}) => sendingEvent("bounced", providerMessageId, payload, source);
  await receive(
    null,
    "text",
    {},
    { ...about(smtp), payload: null },
    { ...about(smtp), source: null },
    { ...about(smtp), type: "cf.email.sending.message.opened" },
    { ...about(smtp), type: 3 },
    about(smtp, { type: "r2" }),
    about(smtp, { domain: "evil.example" }),
    about(smtp, { domain: "" }),
    about({ ...smtp, eventId: "" }),
    about({ ...smtp, messageId: 7 }),
    about({ ...smtp, messageId: "x".repeat(201) }),
  );
  expect(await readMessage(id)).toMatchObject({ status: "sent", events: [] });
  expect(lines.join("\n")).toContain("a provider event was ignored");
  expect(lines.join("\n")).not.toMatch(/@|Welcome/);
});
