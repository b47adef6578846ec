import { describe, expect, inject, it } from "vitest";
import { sweepQueue } from "../../../workers/email/operations/jobs/sweep";
import { deliverNow } from "../../support/email/deliver-now";
import {
  accept,
  createCompany,
  pausesOfCompany,
  rejectWith,
  startDelivery,
  storeProvider,
} from "../../support/email/delivery";
import { attemptsOf, countsOf, eventsOf, readMessage, storeMessage } from "../../support/email/messages";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

const { relays } = inject("mailServers");

describe("the other sender", () => {
  it("sends a company's auth mail from attempt 3 on, with the platform's From", async () => {
    const harness = startDelivery({
      respond: (call, request, init) =>
        (request.bearer === "company-key" ? rejectWith(500) : accept)(call, request, init),
    });
    const company = createCompany();
    await storeProvider(company, { kind: "api", api_key: "company-key" });
    const id = await storeMessage(company, { scope: "company" });
    for (const wait of [2, 6, 0]) {
      await deliverNow(harness.build(), [id], "auth");
      harness.advance(wait * 1000);
    }
    expect(harness.calls.map((call) => call.bearer)).toEqual(["company-key", "company-key", "re_platform_key"]);
    expect(harness.calls.map((call) => call.mail.from)).toEqual([
      '"Aster" <hello@aster.example>',
      '"Aster" <hello@aster.example>',
      '"Aster via Platform" <no-reply@platform.example.com>',
    ]);
    expect(await readMessage(id)).toMatchObject({ status: "sent", scope: "platform", provider: "api" });
    expect((await attemptsOf(id)).map((entry) => entry.scope)).toEqual(["company", "company", "platform"]);
  });

  it("sends auth mail immediately after a long Retry-After", async () => {
    const harness = startDelivery({
      respond: (call, request, init) =>
        (request.bearer === "company-key" ? rejectWith(429, { "Retry-After": "60" }) : accept)(call, request, init),
    });
    const company = createCompany();
    await storeProvider(company, { kind: "api", api_key: "company-key" });
    const id = await storeMessage(company, { scope: "company" });
    await deliverNow(harness.build(), [id], "auth");
    expect(harness.enqueued).toEqual([{ lane: "auth", ids: [id], delaySeconds: 0 }]);
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({ status: "sent", scope: "platform", attempt_count: 1 });
    expect(await attemptsOf(id)).toMatchObject([{ move: true, wait_seconds: 0 }, { outcome: "accepted" }]);
  });

  it("sends other mail from attempt 4 on, for platform companies only", async () => {
    const [ordinary, platform] = [createCompany(), createCompany()];
    const settings = { platformCompanyIds: new Set([platform]) };
    const harness = startDelivery({ respond: rejectWith(500), settings });
    const ids = [];
    for (const company of [ordinary, platform]) {
      await storeProvider(company, { kind: "api", api_key: `key-${company}` });
      ids.push(await storeMessage(company, { lane: "transactional", scope: "company" }));
    }
    for (let attempt = 1; attempt <= 4; attempt++) {
      await deliverNow(harness.build(), ids, "transactional");
      harness.advance(3_600_000);
    }
    const bearers = (id: string | undefined) =>
      harness.calls.filter((call) => call.idempotencyKey === `msg_${id}`).map((call) => call.bearer);
    expect(bearers(ids[0])).toEqual(Array(4).fill(`key-${ordinary}`));
    expect(bearers(ids[1])).toEqual([...Array(3).fill(`key-${platform}`), "re_platform_key"]);
  });
});

it("sends membership mail through the platform, even when the company's credentials are deleted", async () => {
  const harness = startDelivery({ respond: accept });
  const company = createCompany();
  const event_type = "identity.membership.enabled";
  const store = (scope: "company" | "platform") => storeMessage(company, { lane: "transactional", scope, event_type });
  const ids = [await store("platform"), await store("company")];
  await deliverNow(harness.build(), ids, "transactional");
  expect(harness.calls.map((call) => call.bearer)).toEqual(["re_platform_key", "re_platform_key"]);
  const other = await storeMessage(company, { lane: "transactional" });
  await deliverNow(harness.build(), [other], "transactional");
  expect(await readMessage(other)).toMatchObject({ last_error_code: "platform_sender_not_allowed" });
});

describe("rejected credentials", () => {
  it.each([401, 403])("pause only that company's lane after HTTP %s, and lose no mail", async (status) => {
    const harness = startDelivery({ respond: rejectWith(status) });
    const [company, neighbour] = [createCompany(), createCompany()];
    await storeProvider(company, { kind: "api", api_key: "old-key" });
    const store = (companyId: number, changes = {}) => storeMessage(companyId, { lane: "transactional", ...changes });
    const id = await store(company, { scope: "company" });
    await deliverNow(harness.build(), [id], "transactional");
    const waiting = { status: "retrying", last_error_code: "provider_unauthorized", attempt_count: 0 };
    expect(await readMessage(id)).toMatchObject({ ...waiting, next_attempt_at: harness.now() });
    expect(await pausesOfCompany(company)).toMatchObject([{ lane: "transactional", scope: "company" }]);

    harness.state.respond = accept;
    const settings = { ...harness.build().settings, platformCompanyIds: new Set([company, neighbour]) };
    const deliver = (ids: string[]) => deliverNow(harness.build({ settings }), ids, "transactional");
    const [heldMessage, platformScope, other] = [
      await store(company, { scope: "company" }),
      await store(company),
      await store(neighbour),
    ];
    harness.advance(3_600_000);
    await deliver([id, heldMessage, platformScope, other]);
    expect(await readMessage(id)).toMatchObject(waiting);
    expect((await readMessage(heldMessage)).status).toBe("queued");
    expect((await readMessage(platformScope)).status).toBe("sent");
    expect((await readMessage(other)).status).toBe("sent");

    // New credentials have another fingerprint, so the pause no longer applies.
    await storeProvider(company, { kind: "api", api_key: "new-key" });
    await deliver([id, heldMessage]);
    expect(await readMessage(id)).toMatchObject({ status: "sent", attempt_count: 1 });
    expect((await readMessage(heldMessage)).status).toBe("sent");
  });

  it("fail the message after 24 hours with one event", async () => {
    const harness = startDelivery({ respond: rejectWith(401) });
    const company = createCompany();
    await storeProvider(company, { kind: "api", api_key: "old-key" });
    const lane = "transactional";
    const id = await storeMessage(company, { lane, scope: "company" });
    const neverAttempted = await storeMessage(company, { lane, scope: "company" });
    await deliverNow(harness.build(), [id], lane);
    harness.advance(86_400_000 - 1);
    await sweepQueue(harness.build());
    expect((await readMessage(id)).status).toBe("retrying");
    harness.advance(1);
    await sweepQueue(harness.build());
    await sweepQueue(harness.build());
    const failed = { status: "failed", last_error_code: "provider_unauthorized", variables_enc: null, rank: 5 };
    expect(await readMessage(id)).toMatchObject(failed);
    expect(await eventsOf(id)).toEqual(["retrying", "failed"]);
    expect(await countsOf(company)).toEqual({ queued: 1, failed: 1 });
    expect((await readMessage(neverAttempted)).status).toBe("queued");
  });

  it.each([
    ["a company to the platform", true],
    ["the platform to its relay", false],
  ] as const)("move a sign-in mail from %s immediately", async (_title, isCompanySender) => {
    const relay = { host: "localhost", port: relays.plain, username: "", password: "", useTls: false, useSsl: false };
    const harness = startDelivery({
      respond: (call, request, init) =>
        (request.bearer === "company-key" || !isCompanySender ? rejectWith(401) : accept)(call, request, init),
      settings: { relay },
    });
    const company = createCompany();
    if (isCompanySender) await storeProvider(company, { kind: "api", api_key: "company-key" });
    const id = await storeMessage(company, { scope: isCompanySender ? "company" : "platform" });
    await deliverNow(harness.build(), [id], "auth");
    expect(harness.enqueued).toEqual([{ lane: "auth", ids: [id], delaySeconds: 0 }]);
    expect(await pausesOfCompany(company)).toMatchObject([
      { lane: "auth", scope: isCompanySender ? "company" : "platform" },
    ]);
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({ status: "sent", scope: "platform", attempt_count: 2 });
  });

  it("keep a sign-in mail waiting until it expires when both senders reject them", async () => {
    const harness = startDelivery({ respond: rejectWith(401) });
    const company = createCompany();
    await storeProvider(company, { kind: "api", api_key: "company-key" });
    const id = await storeMessage(company, { scope: "company" });
    await deliverNow(harness.build(), [id], "auth");
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({ status: "retrying", last_error_code: "provider_unauthorized" });
    expect(harness.calls).toHaveLength(2);
    await deliverNow(harness.build(), [id], "auth");
    expect(harness.calls).toHaveLength(2);
    harness.advance(120_000);
    await sweepQueue(harness.build());
    expect(await readMessage(id)).toMatchObject({ status: "expired" });
  });

  it("stop delaying mail when the platform's key is replaced", async () => {
    const company = createCompany();
    const rejecting = startDelivery({ respond: rejectWith(401) });
    await deliverNow(rejecting.build(), [await storeMessage(company)], "auth");
    const heldMessage = await storeMessage(company);
    await deliverNow(rejecting.build(), [heldMessage], "auth");
    expect((await readMessage(heldMessage)).status).toBe("queued");
    const platformApi = { apiKey: "re_new_key", baseUrl: "http://127.0.0.1:9" };
    const renewed = startDelivery({ settings: { platformApi } });
    await deliverNow(renewed.build(), [heldMessage], "auth");
    expect(await readMessage(heldMessage)).toMatchObject({ status: "sent" });
  });

  it("leave the other messages of the group waiting without counting attempts", async () => {
    const harness = startDelivery({ respond: rejectWith(401) });
    const company = createCompany();
    await storeProvider(company, { kind: "api", api_key: "bad" });
    const ids = await Promise.all(Array.from({ length: 10 }, () => storeMessage(company, { scope: "company" })));
    await deliverNow(harness.build(), ids, "auth");
    const rows = await Promise.all(ids.map(readMessage));
    expect(harness.calls.length).toBeLessThanOrEqual(5);
    const waiting = rows.filter((row) => row.last_error_code === null);
    expect(waiting).toHaveLength(10 - harness.calls.length);
    for (const row of waiting) {
      expect(row).toMatchObject({ status: "retrying", attempt_count: 0, claim_count: 0, lease_token: null });
    }
  });
});
