import { and, eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import type { MessageRow } from "../../../db/email/rows";
import {
  company_providers,
  event_log,
  messages,
  provider_events,
  stats_marks,
  suppressions,
  unsubscribes,
} from "../../../db/email/schema";
import { applyStoredEvents } from "../../../workers/email/delivery/provider-events/receive";
import { keysOf } from "../../../workers/email/keys";
import { rollUpBefore } from "../../../workers/email/operations/metrics/roll-up.store";
import { hashAddress } from "../../../workers/email/records/seal/address";
import { openDb } from "../../../workers/kit/db/db";
import { DAY_MS, SECOND_MS } from "../../../workers/kit/time";
import { loseAnswer } from "../../support/db/lost-answer";
import { deliverNow } from "../../support/email/deliver-now";
import { startDelivery } from "../../support/email/delivery";
import { createCompany, startEmail, testEnv } from "../../support/email/email";
import { countsOf, hmacOf, readMessage, storeMessage } from "../../support/email/messages";
import {
  companySender,
  PLATFORM_SECRET,
  postProviderWebhook,
  providerEvent,
} from "../../support/email/provider-webhooks";
import { readRows, updateRows } from "../../support/email/rows";

const platformCompany = createCompany();
const email = await startEmail({
  vars: { PROVIDER_WEBHOOK_SECRET: PLATFORM_SECRET, EMAIL_PLATFORM_COMPANY_IDS: String(platformCompany) },
});

// Moves the roll-up mark back, so that the messages of these tests are not rolled up yet.
beforeEach(() => updateRows(stats_marks, { counted_before: Date.now() - DAY_MS }, eq(stats_marks.id, 1)));

const sent = (companyId: number, row: Partial<MessageRow> = {}) =>
  storeMessage(companyId, { status: "sent", rank: 10, sent_at: Date.now() - 3000, provider: "api", ...row });

const rollUpAll = () => rollUpBefore(openDb(testEnv.DB), Date.now() + 1000);
const stepsOf = async (id: string) => (await readMessage(id)).events.map(({ type }) => type);
const eventTypesOf = async (companyId: number) =>
  (await readRows(event_log, eq(event_log.company_id, companyId))).map(({ event_type }) => event_type).sort();

describe("a provider event", () => {
  it.each([
    ["delivered", "delivered", 30],
    ["delivery_delayed", "delivery_delayed", 20],
    ["bounced", "bounced", 40],
    ["failed", "failed", 40],
    ["suppressed", "suppressed", 40],
    ["complained", "complained", 50],
  ] as const)("email.%s changes its message once and stores one event", async (type, status, rank) => {
    const company = createCompany();
    const id = await sent(company);
    const hook = crypto.randomUUID();
    for (let i = 0; i < 2; i++) {
      const response = await postProviderWebhook(email, providerEvent(type, id), { hook });
      expect([response.status, await response.json()]).toEqual([200, { status: "ok" }]);
      expect(email.acceptTripsOf(response)).toBe(i === 0 ? 2 : 1);
    }
    const message = await readMessage(id);
    expect(message).toMatchObject({ status, rank });
    expect(message.events.at(-1)).toMatchObject({ type: status, stream: "transactional" });
    expect(await stepsOf(id)).toEqual([status]);
    expect(await eventTypesOf(company)).toEqual([`email.message.${status}`]);
  });

  it("email.sent confirms that the provider accepted a message before its response arrives", async () => {
    const company = createCompany();
    const id = await storeMessage(company, {
      status: "sending",
      locked_until: Date.now() + 60_000,
      lease_token: "held",
    });
    expect((await postProviderWebhook(email, providerEvent("sent", id))).status).toBe(200);
    expect(await readMessage(id)).toMatchObject({ status: "sent", rank: 10, lease_token: null });
    expect(await eventTypesOf(company)).toEqual(["email.message.sent"]);
  });

  it.each(["constructor", "toString", "__proto__"])(
    "ignores an event type that is named like the object property %s",
    async (type) => {
      const id = await sent(createCompany());
      expect((await postProviderWebhook(email, { ...providerEvent("bounced", id), type })).status).toBe(200);
      expect(await readMessage(id)).toMatchObject({ status: "sent", events: [] });
    },
  );

  it.each(["opened", "clicked", "unheard_of"])("email.%s of a stored message changes nothing", async (type) => {
    const company = createCompany();
    const id = await sent(company);
    const hook = crypto.randomUUID();
    expect((await postProviderWebhook(email, providerEvent(type, id), { hook })).status).toBe(200);
    expect(await readMessage(id)).toMatchObject({ status: "sent", rank: 10, events: [] });
    expect(await readRows(provider_events, eq(provider_events.hook_id, hook))).toEqual([]);
    expect(await eventTypesOf(company)).toEqual([]);
  });

  it("changes the status only to a higher rank, and stores one event of each kind", async () => {
    const company = createCompany();
    const id = await sent(company);
    for (const type of ["bounced", "delivered", "delivered", "delivery_delayed", "complained", "sent", "bounced"]) {
      expect((await postProviderWebhook(email, providerEvent(type, id))).status).toBe(200);
    }
    expect(await readMessage(id)).toMatchObject({ status: "complained", rank: 50 });
    const all = ["bounced", "complained", "delivered", "delivery_delayed", "sent"];
    expect(await eventTypesOf(company)).toEqual(all.map((type) => `email.message.${type}`));
    expect((await stepsOf(id)).length).toBe(7);
  });

  it("does not change a message that ended before it was sent, but updates one that failed as unknown", async () => {
    const company = createCompany();
    const expired = await storeMessage(company, { status: "expired" });
    const suppressed = await storeMessage(company, { status: "suppressed" });
    const failed = await storeMessage(company, { status: "failed", rank: 5, last_error_code: "delivery_unknown" });
    for (const id of [expired, suppressed, failed]) await postProviderWebhook(email, providerEvent("delivered", id));
    expect((await readMessage(expired)).status).toBe("expired");
    expect((await readMessage(suppressed)).status).toBe("suppressed");
    expect(await readMessage(failed)).toMatchObject({ status: "delivered", last_error_code: null });
    expect((await readMessage(failed)).sent_at).not.toBeNull();
  });

  it("ends the lease of a message that still waits for its response, and counts the message as sent", async () => {
    const company = createCompany();
    const locked = { locked_until: Date.now() + 60_000, lease_token: "held", attempt_count: 1 };
    const id = await storeMessage(company, { status: "sending", ...locked });
    await rollUpAll();
    expect(await countsOf(company)).toEqual({ queued: 1 });
    await postProviderWebhook(email, providerEvent("delivered", id));
    const message = await readMessage(id);
    expect(message).toMatchObject({
      status: "delivered",
      lease_token: null,
      next_attempt_at: null,
      variables_enc: null,
    });
    expect(await countsOf(company)).toEqual({ sent: 1, delivered: 1 });
  });

  it.each([true, false])(
    "counts messages correctly when events are repeated or arrive in any order (rolled up before: %s)",
    async (isRolledUp) => {
      const company = createCompany();
      const id = await sent(company);
      if (isRolledUp) await rollUpAll();
      const hooks = ["delivered", "complained", "bounced"].map((type) => ({ type, hook: crypto.randomUUID() }));
      await Promise.all(
        [...hooks, ...hooks].map(({ type, hook }) => postProviderWebhook(email, providerEvent(type, id), { hook })),
      );
      if (!isRolledUp) await rollUpAll();
      expect(await countsOf(company)).toEqual({ sent: 1, complained: 1 });
      expect(await eventTypesOf(company)).toHaveLength(3);
    },
  );

  it("is applied once when a database response is lost and its batch runs twice", async () => {
    const company = createCompany();
    const id = await sent(company);
    await rollUpAll();
    const bindings = { DB: loseAnswer(testEnv.DB, 2) };
    const withLostResponse = { ...email, call: (path: string, init = {}) => email.call(path, { ...init, bindings }) };
    expect((await postProviderWebhook(withLostResponse, providerEvent("delivered", id))).status).toBe(200);
    expect(await stepsOf(id)).toEqual(["delivered"]);
    expect(await countsOf(company)).toEqual({ sent: 1, delivered: 1 });
    expect(await eventTypesOf(company)).toEqual(["email.message.delivered"]);
  });

  it.each([
    ["bounced", { bounce: { type: "Permanent" } }, { reason: "hard_bounce", lanes: [] }],
    ["bounced", {}, { reason: "hard_bounce", lanes: [] }],
    ["bounced", { bounce_type: "HARD" }, { reason: "hard_bounce", lanes: [] }],
    ["bounced", { bounce: { type: "Transient" } }, undefined],
    ["bounced", { bounce: { type: "odd" } }, undefined],
    ["suppressed", {}, { reason: "provider", lanes: [] }],
    ["complained", {}, { reason: "complaint", lanes: ["transactional", "bulk"] }],
    ["delivered", {}, undefined],
  ] as const)("email.%s with %j stores this suppression: %j", async (type, data, row) => {
    const company = createCompany();
    const id = await sent(company, { lane: "transactional" });
    await postProviderWebhook(email, providerEvent(type, id, data));
    const rows = await readRows(suppressions, eq(suppressions.company_id, company));
    expect(rows.length).toBe(row === undefined ? 0 : 1);
    if (row !== undefined) expect(rows[0]).toMatchObject({ ...row, email_hmac: hmacOf(company) });
    const end = rows[0]?.expires_at ?? null;
    if (rows[0]?.reason === "hard_bounce") expect(Math.abs((end ?? 0) - Date.now() - 30 * DAY_MS)).toBeLessThan(60_000);
    else expect(end).toBeNull();
  });

  it("does not suppress sign-in mail after a complaint", async () => {
    const company = createCompany();
    await postProviderWebhook(email, providerEvent("complained", await sent(company)));
    expect(await readRows(suppressions, eq(suppressions.company_id, company))).toEqual([]);
  });

  it("stores the reason without addresses and URLs", async () => {
    const id = await sent(createCompany());
    const diagnostic = "550 no mailbox mina@example.com at https://provider.example/x";
    await postProviderWebhook(
      email,
      providerEvent("bounced", id, { bounce: { type: "Permanent", message: diagnostic } }),
    );
    const { bounce, events } = await readMessage(id);
    expect(bounce).toEqual({ type: "permanent", detail: "550 no mailbox [Filtered] at [Filtered]" });
    expect(events.at(-1)?.detail).toBe("550 no mailbox [Filtered] at [Filtered]");
  });

  it("keeps the reason of a permanent bounce after later bounces, and replaces that of a transient bounce", async () => {
    const id = await sent(createCompany());
    const bounced = (type: string, message: string) =>
      postProviderWebhook(email, providerEvent("bounced", id, { bounce: { type, message } }));
    await bounced("Transient", "452 mailbox full");
    expect((await readMessage(id)).bounce).toEqual({ type: "transient", detail: "452 mailbox full" });
    await bounced("Permanent", "550 no such user");
    await bounced("Permanent", "");
    await bounced("Transient", "452 mailbox full");
    expect((await readMessage(id)).bounce).toEqual({ type: "permanent", detail: "550 no such user" });
  });

  it("changes only messages of the sender whose secret signed the event", async () => {
    const secret = "whsec_b25lLWNvbXBhbnktcy1zZWNyZXQ=";
    const company = await companySender(secret);
    const other = await companySender("another secret");
    const [companyMessage, foreignMessage, platformMessage] = await Promise.all([
      sent(company, { scope: "company" }),
      sent(other, { scope: "company" }),
      sent(company, { scope: "platform" }),
    ]);
    const query = `?company_id=${company}`;
    for (const id of [companyMessage, foreignMessage, platformMessage]) {
      expect((await postProviderWebhook(email, providerEvent("delivered", id), { secret, query })).status).toBe(200);
    }
    expect((await postProviderWebhook(email, providerEvent("delivered", companyMessage))).status).toBe(200);
    expect((await readMessage(companyMessage)).status).toBe("delivered");
    expect((await readMessage(foreignMessage)).status).toBe("sent");
    expect((await readMessage(platformMessage)).status).toBe("sent");
    expect((await postProviderWebhook(email, providerEvent("bounced", companyMessage), { query })).status).toBe(401);
    expect((await postProviderWebhook(email, providerEvent("bounced", companyMessage), { secret })).status).toBe(401);
    expect(
      (
        await postProviderWebhook(email, providerEvent("bounced", companyMessage), {
          secret,
          query: `?company_id=${other}`,
        })
      ).status,
    ).toBe(401);
    await updateRows(company_providers, { provider: "smtp" }, eq(company_providers.company_id, company));
    expect((await postProviderWebhook(email, providerEvent("bounced", companyMessage), { secret, query })).status).toBe(
      401,
    );
    expect((await readMessage(companyMessage)).status).toBe("delivered");
  });

  it("is applied after its message was accepted, whichever of the two is stored first", async () => {
    const harness = startDelivery();
    const company = createCompany();
    const early = await storeMessage(company, {});
    const untagged = { type: "email.delivered", data: { email_id: `prov-msg_${early}` } };
    await postProviderWebhook(email, untagged, { at: harness.now() });
    expect((await readMessage(early)).status).toBe("queued");
    await deliverNow(harness.build(), [early], "auth");
    expect((await readMessage(early)).status).toBe("delivered");
    expect(await eventTypesOf(company)).toEqual(["email.message.delivered", "email.message.sent"]);
    const late = await storeMessage(company, {});
    await deliverNow(harness.build(), [late], "auth");
    await postProviderWebhook(email, { type: "email.bounced", data: { id: `prov-msg_${late}` } });
    expect((await readMessage(late)).status).toBe("bounced");
    // The sweep applies the event when a consumer has died between the two steps.
    const lost = await storeMessage(company, {});
    await postProviderWebhook(email, { type: "email.delivered", data: { email_id: `lost-${lost}` } });
    await updateRows(
      messages,
      {
        status: "sent",
        sent_at: 1,
        rank: 10,
        provider: "api",
        provider_message_id: `lost-${lost}`,
        next_attempt_at: null,
      },
      eq(messages.id, lost),
    );
    await applyStoredEvents(harness.build(), null);
    expect((await readMessage(lost)).status).toBe("delivered");
  });

  it("is stored encrypted when its message is unknown, and without its body when it names no message", async () => {
    const hook = crypto.randomUUID();
    await postProviderWebhook(email, { type: "email.delivered", data: { email_id: "unknown-id" } }, { hook });
    const isOfHook = and(eq(provider_events.signing_scope, "platform"), eq(provider_events.hook_id, hook));
    const [storedEvent] = await readRows(provider_events, isOfHook);
    expect(storedEvent).toMatchObject({ applied: false, provider_message_id: "unknown-id" });
    expect(storedEvent?.body_enc).toMatch(/^v1\./);
    const unknownId = crypto.randomUUID();
    expect((await postProviderWebhook(email, { type: "email.delivered", data: {} }, { hook: unknownId })).status).toBe(
      200,
    );
    const [withoutId] = await readRows(provider_events, eq(provider_events.hook_id, unknownId));
    expect(withoutId).toMatchObject({ applied: true, body_enc: null });
  });

  it("stores an unsubscribe from bulk mail for a contact that unsubscribed at the provider", async () => {
    const contact = { type: "contact.updated", data: { unsubscribed: true, email: "Mina@Example.com" } };
    expect((await postProviderWebhook(email, contact)).status).toBe(200);
    const secret = "company secret";
    const company = await companySender(secret);
    expect((await postProviderWebhook(email, contact, { secret, query: `?company_id=${company}` })).status).toBe(200);
    const hash = await hashAddress((await keysOf(testEnv)).peppers[0] ?? new Uint8Array(), "mina@example.com");
    for (const companyId of [platformCompany, company]) {
      const rows = await readRows(unsubscribes, eq(unsubscribes.company_id, companyId));
      expect(rows).toMatchObject([{ category: "bulk", source: "provider", email_hmac: hash }]);
      expect(await eventTypesOf(companyId)).toContain("email.unsubscribe.created");
    }
    const stillSubscribed = { type: "contact.updated", data: { unsubscribed: false, email: "leo@example.com" } };
    expect((await postProviderWebhook(email, stillSubscribed)).status).toBe(200);
  });
});

it("stores an unsubscribe of a contact in four round trips for any number of companies", async () => {
  const companies = [createCompany(), createCompany(), createCompany()];
  const instance = await startEmail({
    vars: { PROVIDER_WEBHOOK_SECRET: PLATFORM_SECRET, EMAIL_PLATFORM_COMPANY_IDS: companies.join(",") },
  });
  const contact = { type: "contact.updated", data: { unsubscribed: true, email: "mina@example.com" } };
  const response = await postProviderWebhook(instance, contact);
  expect([response.status, instance.acceptTripsOf(response)]).toEqual([200, 4]);
  for (const companyId of companies) expect(await eventTypesOf(companyId)).toEqual(["email.unsubscribe.created"]);
});

describe("a provider webhook", () => {
  it("returns 401 and changes nothing without a valid and recent signature", async () => {
    const id = await sent(createCompany());
    const event = providerEvent("delivered", id);
    const stranger = await postProviderWebhook(email, event, { secret: "another" });
    expect(email.acceptTripsOf(stranger)).toBe(0);
    const statuses = [
      stranger,
      await postProviderWebhook(email, event, { at: Date.now() - 301 * SECOND_MS }),
      await postProviderWebhook(email, event, { at: Date.now() + 302 * SECOND_MS }),
      await postProviderWebhook(email, event, { query: "?company_id=x" }),
      await postProviderWebhook(email, event, { query: `?company_id=${createCompany()}` }),
      await email.call("/api/v1/provider-webhooks/api/x", { json: event }),
      await postProviderWebhook(await startEmail(), event),
    ].map(({ status }) => status);
    expect(statuses).toEqual(statuses.map(() => 401));
    expect((await readMessage(id)).status).toBe("sent");
  });

  it.each([
    ['{"toString":1}', "a value without a string form"],
    [`${"[".repeat(20_000)}${"]".repeat(20_000)}`, "deeply nested lists"],
    ['"\\ud800\\u0000"', "half a surrogate pair"],
  ])("returns 401 for unexpected values without a signature, and is processed with a signature (%#)", async (value) => {
    const id = await sent(createCompany());
    const prefix = JSON.stringify(providerEvent("bounced", id)).slice(0, -2);
    const raw = `${prefix},"bounce":{"type":${value},"message":${value}},"email_id":${value},"id":${value}}}`;
    expect((await postProviderWebhook(email, raw, { secret: "whsec_YW5vdGhlcg==" })).status).toBe(401);
    expect(
      (await postProviderWebhook(email, `{"type":${value},"data":{}}`, { secret: "whsec_YW5vdGhlcg==" })).status,
    ).toBe(401);
    expect((await readMessage(id)).status).toBe("sent");
    expect((await postProviderWebhook(email, raw)).status).toBe(200);
    expect(await readMessage(id)).toMatchObject({ status: "bounced", bounce: { type: "undetermined" } });
  });

  it("accepts the headers of Standard Webhooks, and ignores unknown types and ids", async () => {
    const id = await sent(createCompany());
    expect((await postProviderWebhook(email, providerEvent("delivered", id), { prefix: "webhook" })).status).toBe(200);
    expect((await readMessage(id)).status).toBe("delivered");
    for (const body of [{ type: "email.opened", data: {} }, { type: 5, data: {} }, { data: { tags: 7 } }]) {
      expect((await postProviderWebhook(email, body)).status).toBe(200);
    }
  });

  it.each(["{", "[]", '"x"', '{"type":"email.sent"}', '{"type":"email.sent","data":[]}'])(
    "returns 400 when it is signed and its body is %s",
    async (raw) => {
      const response = await postProviderWebhook(email, raw);
      expect([response.status, await response.json()]).toMatchObject([400, { error_code: "validation_failed" }]);
    },
  );

  it.each(["A", "a_b", "x".repeat(33), "%20"])("returns 404 for the stream %s", async (stream) => {
    expect((await postProviderWebhook(email, providerEvent("sent", "0".repeat(32)), { stream })).status).toBe(404);
    expect((await email.call("/api/v1/provider-webhooks/other/x", { json: {} })).status).toBe(404);
  });
});
