import { describe, expect, it } from "vitest";
import { company_profiles } from "../../../db/email/schema";
import { claimMessages } from "../../../workers/email/delivery/attempts/claim.store";
import { settleAttempt, storeSettlements } from "../../../workers/email/delivery/attempts/settlement";
import { cancelMessage } from "../../../workers/email/delivery/messages/message.store";
import { sweepQueue } from "../../../workers/email/operations/jobs/sweep";
import { breakDb, ConsumerDied } from "../../support/db/broken-db";
import { deliverNow } from "../../support/email/deliver-now";
import { createCompany, type Harness, rejectWith, startDelivery, withDb } from "../../support/email/delivery";
import { createKey, startEmail, storeSuppression } from "../../support/email/email";
import { deliveriesOf, eventsOfCompany, storedEvents, storeRule } from "../../support/email/events";
import { hmacOf, readMessage, storeMessage } from "../../support/email/messages";
import { insertRow, suppressHash } from "../../support/email/rows";

/** Creates a company with two enabled webhooks for the type, a disabled one, and one for another type. */
async function ruledCompany(type: string): Promise<number> {
  const company = createCompany();
  await storeRule(company, type);
  await storeRule(company, type, { host: "second.example.com" });
  await storeRule(company, type, { enabled: false });
  await storeRule(company, "email.message.delivered");
  return company;
}

const messageData = (id: string) => ({
  message_id: `msg_${id}`,
  template_key: "identity.auth.magic_link.requested",
  lane: "auth",
  service: "identity",
  to_email: "mina@example.com",
  to_user_id: 5,
  event_type: "identity.auth.magic_link.requested",
});

/** Expects one event of the type and one delivery for each enabled webhook. */
async function expectEvents(company: number, type: string, data: Record<string, unknown>): Promise<void> {
  expect(await eventsOfCompany(company)).toEqual([{ type, data }]);
  const [event] = await storedEvents(company);
  const deliveries = await deliveriesOf(company);
  expect(deliveries.map(({ host }) => host).sort()).toEqual(["hooks.example.com", "second.example.com"]);
  for (const delivery of deliveries) {
    expect(delivery).toMatchObject({ kind: "webhook", status: "pending", event_type: type, event_id: event?.event_id });
    expect([delivery.body, delivery.subject_hmac]).toEqual([event?.envelope, event?.subject_hmac]);
  }
}

describe("the event of an attempt", () => {
  it("is stored with its deliveries in the batch of an accepted result, in two round trips", async () => {
    const harness = startDelivery();
    const company = await ruledCompany("email.message.sent");
    const id = await storeMessage(company, { to_user_id: 5 });
    const services = harness.build();
    await deliverNow(services, [id], "auth");
    expect(services.platformDb.stats.roundTrips).toBe(2);
    await expectEvents(company, "email.message.sent", messageData(id));
    expect(harness.firstEnqueued.sort()).toEqual((await deliveriesOf(company)).map((row) => row.id).sort());
  });

  it("contains the error code of a permanent failure", async () => {
    const harness = startDelivery({ respond: rejectWith(422) });
    const company = await ruledCompany("email.message.failed");
    const id = await storeMessage(company, { to_user_id: 5 });
    await deliverNow(harness.build(), [id], "auth");
    await expectEvents(company, "email.message.failed", { ...messageData(id), error_code: "provider_rejected" });
  });

  it("is an expiry when the next retry would be after the message's expiry", async () => {
    const harness = startDelivery({ respond: rejectWith(503) });
    const company = await ruledCompany("email.message.expired");
    const id = await storeMessage(company, { to_user_id: 5, expires_at: harness.now() + 1000 });
    await deliverNow(harness.build(), [id], "auth");
    await expectEvents(company, "email.message.expired", messageData(id));
  });

  it("contains the reason when the recipient is suppressed", async () => {
    const harness = startDelivery();
    const company = await ruledCompany("email.message.suppressed");
    const id = await storeMessage(company, { to_user_id: 5 });
    await suppressHash(company, hmacOf(company), { reason: "hard_bounce" });
    await deliverNow(harness.build(), [id], "auth");
    expect(harness.calls).toEqual([]);
    await expectEvents(company, "email.message.suppressed", { ...messageData(id), reason: "recipient_suppressed" });
  });

  it("is not stored for a retry or a cancelled message", async () => {
    const harness = startDelivery({ respond: rejectWith(503) });
    const company = await ruledCompany("email.message.failed");
    const id = await storeMessage(company, { expires_at: harness.now() + 3_600_000 });
    await deliverNow(harness.build(), [id], "auth");
    expect(await cancelMessage(harness.build().platformDb, { companyId: company, id, now: harness.now() }, [])).toBe(
      true,
    );
    expect([await storedEvents(company), await deliveriesOf(company)]).toEqual([[], []]);
  });

  it("is stored once for each of many messages, in the same number of round trips", async () => {
    const harness = startDelivery();
    const company = await ruledCompany("email.message.sent");
    const ids = await Promise.all(Array.from({ length: 10 }, () => storeMessage(company)));
    const services = harness.build();
    await deliverNow(services, ids, "auth");
    expect(services.platformDb.stats.roundTrips).toBe(2);
    const events = await eventsOfCompany(company);
    expect(events.map(({ data }) => data.message_id).sort()).toEqual(ids.map((id) => `msg_${id}`).sort());
    expect(await deliveriesOf(company)).toHaveLength(20);
  });

  it("contains no address when the stored address cannot be decrypted", async () => {
    const harness = startDelivery();
    const company = await ruledCompany("email.message.failed");
    const id = await storeMessage(company, { to_user_id: 5, to_enc: "v1.00000000.AAAA.AAAA" });
    await deliverNow(harness.build(), [id], "auth");
    await expectEvents(company, "email.message.failed", {
      ...messageData(id),
      to_email: null,
      error_code: "variables_unreadable",
    });
  });
});

describe("the event of an expired message", () => {
  it("is stored when a claim finds the message", async () => {
    const harness = startDelivery();
    const company = await ruledCompany("email.message.expired");
    const id = await storeMessage(company, { to_user_id: 5, expires_at: harness.now() });
    await deliverNow(harness.build(), [id], "auth");
    expect((await readMessage(id)).status).toBe("expired");
    await expectEvents(company, "email.message.expired", messageData(id));
  });

  it("is stored once when the sweep finds the message", async () => {
    const harness = startDelivery();
    const company = await ruledCompany("email.message.expired");
    const id = await storeMessage(company, { to_user_id: 5, expires_at: harness.now() });
    await Promise.all([sweepQueue(harness.build()), sweepQueue(harness.build())]);
    await sweepQueue(harness.build());
    await expectEvents(company, "email.message.expired", messageData(id));
  });
});

describe("the event of an ended lease", () => {
  const withEndedLease = {
    status: "sending" as const,
    lease_token: "gone",
    attempt_count: 1,
    claim_count: 1,
    to_user_id: 5,
  };

  it("is a failure with the code `delivery_unknown` after DATA", async () => {
    const harness = startDelivery();
    const company = await ruledCompany("email.message.failed");
    const duringData = { ...withEndedLease, lane: "bulk", data_started: true } as const;
    const id = await storeMessage(company, { ...duringData, locked_until: harness.now() });
    await sweepQueue(harness.build());
    const bulkData = { ...messageData(id), event_type: "identity.user.invitation_revoked", lane: "bulk" };
    await expectEvents(company, "email.message.failed", { ...bulkData, error_code: "delivery_unknown" });
  });

  it("is a failure instead of an expiry when the message has expired", async () => {
    const harness = startDelivery();
    const company = await ruledCompany("email.message.failed");
    const id = await storeMessage(company, {
      ...withEndedLease,
      expires_at: harness.now(),
      locked_until: harness.now(),
    });
    await sweepQueue(harness.build());
    await expectEvents(company, "email.message.failed", { ...messageData(id), error_code: "delivery_unknown" });
  });

  it("reports the message as sent when a provider id is stored", async () => {
    const harness = startDelivery();
    const company = await ruledCompany("email.message.sent");
    const id = await storeMessage(company, {
      ...withEndedLease,
      provider_message_id: "p",
      locked_until: harness.now(),
    });
    await sweepQueue(harness.build());
    await expectEvents(company, "email.message.sent", messageData(id));
  });

  it("is not stored for a late result, and only once for a repeated result", async () => {
    const harness = startDelivery();
    const company = await ruledCompany("email.message.failed");
    const id = await storeMessage(company, { to_user_id: 5, expires_at: harness.now() + 3_600_000 });
    const claim = await claimMessages(harness.build().platformDb, {
      ids: [id],
      token: "first",
      lane: "auth",
      leaseMs: 30_000,
      platformFingerprint: "",
      now: harness.now(),
      dueUntil: harness.now(),
    });
    const [row] = claim.rows;
    if (row === undefined) throw new Error("not claimed");
    const settle = async (token: string) => {
      const context = {
        sender: null,
        canSwitch: false,
        isHeldByPause: false,
        now: harness.now(),
        retriesAtOnce: false,
        breaker: null,
      };
      const outcome = { kind: "final", code: "provider_rejected" } as const;
      const settlements = [{ ...settleAttempt(row, outcome, context), token }];
      const services = harness.build();
      await storeSettlements(
        services,
        services.platformDb,
        new Map([[id, row]]),
        { settlements, pauses: [] },
        harness.now(),
      );
    };
    await settle("another");
    expect([await storedEvents(company), await deliveriesOf(company)]).toEqual([[], []]);
    await settle("first");
    await storeRule(company, "email.message.failed", { host: "later.example.com" });
    await settle("first");
    await expectEvents(company, "email.message.failed", { ...messageData(id), error_code: "provider_rejected" });
  });
});

describe("events of a killed consumer", () => {
  it.each([
    ["before the claim", "before", 1],
    ["after the claim", "after", 1],
    ["before the result", "before", 2],
    ["after the result", "after", 2],
  ] as const)("are neither lost nor duplicated when the consumer is killed %s", async (_title, when, call) => {
    const harness: Harness = startDelivery();
    const company = await ruledCompany("email.message.sent");
    const id = await storeMessage(company, { to_user_id: 5, expires_at: harness.now() + 3_600_000 });
    const services = harness.build();
    const broken = withDb(services, breakDb(services.platformDb, when, call));
    await expect(deliverNow(broken, [id], "auth")).rejects.toThrow(ConsumerDied);
    harness.advance(60_000);
    await sweepQueue(harness.build());
    await deliverNow(harness.build(), [id], "auth");
    await expectEvents(company, "email.message.sent", messageData(id));
  });
});

describe("a send to a suppressed address", () => {
  it("stores the message, its encrypted event and the deliveries in two round trips, and then enqueues them", async () => {
    const email = await startEmail();
    const company = createCompany();
    await storeRule(company, "email.message.suppressed");
    await storeSuppression(company, "mina@example.com", { unsubscribed: "transactional" });
    const { key, id: clientId } = await createKey({ service: "identity" });
    const json = {
      company_id: company,
      template_key: "identity.user.created",
      to: [{ email: "Mina@example.com", user_id: 5 }, { email: "leo@example.com" }],
      variables: { company_name: "Aster" },
      use_platform_sender: false,
    };
    await insertRow(company_profiles, { company_id: company, name: "Aster", updated_at: 1 });
    email.bindings.EMAIL_PLATFORM_COMPANY_IDS = String(company);
    await email.call("/api/v1/catalog", { bearer: key });
    const response = await email.call("/api/v1/send", { bearer: key, json });
    expect(response.status).toBe(202);
    expect(email.acceptTripsOf(response)).toBe(2);
    const { messages } = await response.json<{ messages: { id: string; status: string }[] }>();
    expect(messages.map(({ status }) => status)).toEqual(["suppressed", "queued"]);
    expect(await eventsOfCompany(company)).toEqual([
      {
        type: "email.message.suppressed",
        data: {
          message_id: messages[0]?.id,
          template_key: "identity.user.created",
          lane: "transactional",
          service: "identity",
          to_email: "Mina@example.com",
          to_user_id: 5,
          event_type: "identity.user.created",
          reason: "unsubscribed",
        },
      },
    ]);
    const [event] = await storedEvents(company);
    const deliveries = await deliveriesOf(company);
    expect(deliveries).toHaveLength(1);
    expect(event?.client_id).toBe(clientId);
    for (const text of [event?.envelope, deliveries[0]?.body]) expect(text).toMatch(/^v1\./);
    expect(email.queueMessages.webhooks).toEqual([
      { v: 1, kind: "first", company_id: company, ids: [deliveries[0]?.id], request_id: expect.any(String) },
    ]);
  });
});
