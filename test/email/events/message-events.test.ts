import { describe, expect, it } from "vitest";
import { company_profiles } from "../../../db/email/schema";
import { claimMessages } from "../../../workers/email/delivery/attempts/claim.store";
import { settleAttempt, storeSettlements } from "../../../workers/email/delivery/attempts/settlement";
import { cancelMessage } from "../../../workers/email/delivery/messages/message.store";
import { sweepQueue } from "../../../workers/email/operations/jobs/sweep";
import { breakDb, ThrownAway } from "../../support/db/broken-db";
import { deliverNow } from "../../support/email/deliver-now";
import { createCompany, type Harness, refuse, startDelivery, withDb } from "../../support/email/delivery";
import { createKey, startEmail, storeSuppression } from "../../support/email/email";
import { deliveriesOf, eventsOfCompany, storedEvents, storeRule } from "../../support/email/events";
import { readMessage, storeMessage } from "../../support/email/messages";
import { insertRow, suppressHash } from "../../support/email/rows";

/** A company with two enabled rules for the type, a disabled one, and one of another type. */
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

/** Expects one event of that type and one delivery of it for each enabled rule. */
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

describe("an attempt", () => {
  it("that is accepted tells so in the batch of its result: two round trips with its webhooks", async () => {
    const harness = startDelivery();
    const company = await ruledCompany("email.message.sent");
    const id = await storeMessage(company, { to_user_id: 5 });
    const services = harness.build();
    await deliverNow(services, [id], "auth");
    expect(services.platformDb.stats.roundTrips).toBe(2);
    await expectEvents(company, "email.message.sent", messageData(id));
    expect(harness.firstEnqueued.sort()).toEqual((await deliveriesOf(company)).map((row) => row.id).sort());
  });

  it("that fails for good tells the code", async () => {
    const harness = startDelivery({ answer: refuse(422) });
    const company = await ruledCompany("email.message.failed");
    const id = await storeMessage(company, { to_user_id: 5 });
    await deliverNow(harness.build(), [id], "auth");
    await expectEvents(company, "email.message.failed", { ...messageData(id), error_code: "provider_rejected" });
  });

  it("whose next wait ends after the message's life tells that it expired", async () => {
    const harness = startDelivery({ answer: refuse(503) });
    const company = await ruledCompany("email.message.expired");
    const id = await storeMessage(company, { to_user_id: 5, expires_at: harness.now() + 1000 });
    await deliverNow(harness.build(), [id], "auth");
    await expectEvents(company, "email.message.expired", messageData(id));
  });

  it("that is not made because the recipient is suppressed tells the reason", async () => {
    const harness = startDelivery();
    const company = await ruledCompany("email.message.suppressed");
    const id = await storeMessage(company, { to_user_id: 5 });
    await suppressHash(company, `hmac-${company}`, { reason: "hard_bounce" });
    await deliverNow(harness.build(), [id], "auth");
    expect(harness.calls).toEqual([]);
    await expectEvents(company, "email.message.suppressed", { ...messageData(id), reason: "recipient_suppressed" });
  });

  it("that will be repeated tells nothing; neither does a cancelled message", async () => {
    const harness = startDelivery({ answer: refuse(503) });
    const company = await ruledCompany("email.message.failed");
    const id = await storeMessage(company, { expires_at: harness.now() + 3_600_000 });
    await deliverNow(harness.build(), [id], "auth");
    expect(await cancelMessage(harness.build().platformDb, { companyId: company, id, now: harness.now() }, [])).toBe(
      true,
    );
    expect([await storedEvents(company), await deliveriesOf(company)]).toEqual([[], []]);
  });

  it("of many messages tells each once, in the same number of round trips", async () => {
    const harness = startDelivery();
    const company = await ruledCompany("email.message.sent");
    const ids = await Promise.all(Array.from({ length: 10 }, () => storeMessage(company)));
    const services = harness.build();
    await deliverNow(services, ids, "auth");
    expect(services.platformDb.stats.roundTrips).toBe(2);
    const told = await eventsOfCompany(company);
    expect(told.map(({ data }) => data.message_id).sort()).toEqual(ids.map((id) => `msg_${id}`).sort());
    expect(await deliveriesOf(company)).toHaveLength(20);
  });

  it("tells with null for an address that does not open", async () => {
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

describe("a message whose life is over", () => {
  it("is told when a claim meets it", async () => {
    const harness = startDelivery();
    const company = await ruledCompany("email.message.expired");
    const id = await storeMessage(company, { to_user_id: 5, expires_at: harness.now() });
    await deliverNow(harness.build(), [id], "auth");
    expect((await readMessage(id)).status).toBe("expired");
    await expectEvents(company, "email.message.expired", messageData(id));
  });

  it("is told when the sweep finds it, once", async () => {
    const harness = startDelivery();
    const company = await ruledCompany("email.message.expired");
    const id = await storeMessage(company, { to_user_id: 5, expires_at: harness.now() });
    await Promise.all([sweepQueue(harness.build()), sweepQueue(harness.build())]);
    await sweepQueue(harness.build());
    await expectEvents(company, "email.message.expired", messageData(id));
  });
});

describe("a lease that ended", () => {
  const lost = { status: "sending" as const, lease_token: "gone", attempt_count: 1, claim_count: 1, to_user_id: 5 };

  it("after DATA tells of a failure with the code", async () => {
    const harness = startDelivery();
    const company = await ruledCompany("email.message.failed");
    const begun = { ...lost, lane: "bulk", data_started: true } as const;
    const id = await storeMessage(company, { ...begun, locked_until: harness.now() });
    await sweepQueue(harness.build());
    const told = { ...messageData(id), event_type: "identity.user.invitation_revoked", lane: "bulk" };
    await expectEvents(company, "email.message.failed", { ...told, error_code: "delivery_unknown" });
  });

  it("past its life tells of a failure and not of an expiry", async () => {
    const harness = startDelivery();
    const company = await ruledCompany("email.message.failed");
    const id = await storeMessage(company, { ...lost, expires_at: harness.now(), locked_until: harness.now() });
    await sweepQueue(harness.build());
    await expectEvents(company, "email.message.failed", { ...messageData(id), error_code: "delivery_unknown" });
  });

  it("with a stored provider id tells that it was sent", async () => {
    const harness = startDelivery();
    const company = await ruledCompany("email.message.sent");
    const id = await storeMessage(company, { ...lost, provider_message_id: "p", locked_until: harness.now() });
    await sweepQueue(harness.build());
    await expectEvents(company, "email.message.sent", messageData(id));
  });

  it("tells nothing by its late result, and nothing when a result is stored twice", async () => {
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
        withoutWaits: false,
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

describe("a consumer that is thrown away", () => {
  it.each([
    ["before the claim", "before", 1],
    ["after the claim", "after", 1],
    ["before the result", "before", 2],
    ["after the result", "after", 2],
  ] as const)("%s loses no event and doubles none", async (_title, place, call) => {
    const harness: Harness = startDelivery();
    const company = await ruledCompany("email.message.sent");
    const id = await storeMessage(company, { to_user_id: 5, expires_at: harness.now() + 3_600_000 });
    const services = harness.build();
    const broken = withDb(services, breakDb(services.platformDb, place, call));
    await expect(deliverNow(broken, [id], "auth")).rejects.toThrow(ThrownAway);
    harness.advance(60_000);
    await sweepQueue(harness.build());
    await deliverNow(harness.build(), [id], "auth");
    await expectEvents(company, "email.message.sent", messageData(id));
  });
});

describe("a send to a suppressed address", () => {
  it("stores event and webhooks with the message in two round trips, sealed, and rings after", async () => {
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
    expect(email.doorbells.webhooks).toEqual([
      { v: 1, kind: "first", company_id: company, ids: [deliveries[0]?.id], request_id: expect.any(String) },
    ]);
  });
});
