import { describe, expect, it } from "vitest";
import { type AttemptFacts, LANE_POLICIES, nextState } from "../../../workers/email/delivery/attempts/policy";
import { deliverNow } from "../../support/email/deliver-now";
import { accept, createCompany, rejectWith, startDelivery, storeProvider } from "../../support/email/delivery";
import { countsOf, eventsOf, readMessage, storeMessage } from "../../support/email/messages";
import { pauseLane } from "../../support/email/rows";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

describe("the state after an attempt", () => {
  const facts: AttemptFacts = {
    lane: "auth",
    attempt: 1,
    rateLimits: 0,
    faults: 0,
    unknownOutcomes: 0,
    isPossiblyDelivered: false,
    now: 1_000_000,
    dueSince: 1_000_000,
    expiresAt: null,
    canSwitch: false,
    isHeldByPause: true,
    retriesAtOnce: false,
  };
  const retry = { kind: "retry", code: "provider_unavailable" } as const;
  const unknown = { kind: "retry", code: "delivery_unknown" } as const;
  const rateLimited = { kind: "retry", code: "provider_rate_limited" } as const;
  const rejectedCredentials = { kind: "retry", code: "provider_unauthorized", pause: true } as const;

  it.each([
    ["an accepted message is sent", { kind: "accepted", providerMessageId: "p" } as const, {}, "sent"],
    ["a suppressed recipient gets no mail", { kind: "suppressed", code: "unsubscribed" } as const, {}, "suppressed"],
    ["a permanent error fails the message", { kind: "final", code: "provider_rejected" } as const, {}, "failed"],
    ["a first unknown outcome after DATA is retried", unknown, {}, "retrying"],
    ["a second unknown outcome fails the message", unknown, { unknownOutcomes: 1 }, "failed"],
    ["an unknown outcome fails bulk mail", unknown, { lane: "bulk" }, "failed"],
    [
      "an unknown outcome fails the message when its retry would be at the expiry",
      unknown,
      { expiresAt: 1_002_000 },
      "failed",
    ],
    [
      "an error at the expiry fails a message that may have arrived",
      retry,
      { expiresAt: 1_002_000, isPossiblyDelivered: true },
      "failed",
    ],
    [
      "after rejected credentials, the message waits for the end of the pause",
      rejectedCredentials,
      { attempt: 8 },
      "retrying",
    ],
    ["rejected credentials move auth mail to the other sender", rejectedCredentials, { canSwitch: true }, "retrying"],
    [
      "rejected credentials fail the message 24 h after its acceptance",
      rejectedCredentials,
      { dueSince: 1_000_000 - 86_400_000 },
      "failed",
    ],
    [
      "a message whose credentials are rejected at its expiry expires",
      rejectedCredentials,
      { expiresAt: 1_000_000 },
      "expired",
    ],
    [
      "rejected credentials at the expiry fail a message that may have arrived",
      rejectedCredentials,
      { expiresAt: 1_000_000, isPossiblyDelivered: true },
      "failed",
    ],
    [
      "rejected credentials without a pause fail the message at its last attempt",
      rejectedCredentials,
      { isHeldByPause: false, attempt: 6 },
      "failed",
    ],
    ["a retryable error is retried", retry, {}, "retrying"],
    ["an error at the last auth attempt fails the message", retry, { attempt: 6 }, "failed"],
    [
      "an error at the last transactional attempt fails the message",
      retry,
      { lane: "transactional", attempt: 8 },
      "failed",
    ],
    ["a rate limit uses no attempt", rateLimited, { lane: "bulk", attempt: 8 }, "retrying"],
    [
      "a rate limit fails the message 24 h after its acceptance",
      rateLimited,
      { attempt: 6, dueSince: 1_000_000 - 86_400_000 },
      "failed",
    ],
    ["a rate limit fails the message in sync mode", rateLimited, { attempt: 6, retriesAtOnce: true }, "failed"],
    ["a retry at the expiry expires the message", retry, { expiresAt: 1_002_000 }, "expired"],
    ["a retry before the expiry is kept", retry, { expiresAt: 1_002_001 }, "retrying"],
    [
      "the third internal error is retried",
      { kind: "retry", code: "provider_error" } as const,
      { faults: 2 },
      "retrying",
    ],
    [
      "the fourth internal error fails the message",
      { kind: "retry", code: "provider_error" } as const,
      { faults: 3 },
      "failed",
    ],
  ] as const)("%s", (_title, outcome, changes, status) => {
    expect(nextState(outcome, { ...facts, ...changes }).status).toBe(status);
  });

  it.each([
    ["auth", [2, 6, 15, 30, 60]],
    ["transactional", [30, 60, 120, 240, 480, 960, 1920]],
    ["bulk", [30, 60, 120, 240, 480, 960, 1920]],
  ] as const)("lengthens the wait of the %s lane after each attempt until the last", (lane, waits) => {
    const states = Array.from({ length: LANE_POLICIES[lane].attempts - 1 }, (_, index) =>
      nextState(retry, { ...facts, lane, attempt: index + 1 }),
    );
    expect(states.map((state) => state.status === "retrying" && state.waitSeconds)).toEqual(waits);
  });

  it("retries rejected credentials immediately without using an attempt, and uses one when it changes the sender", () => {
    expect(nextState(rejectedCredentials, facts)).toMatchObject({ waitSeconds: 0, move: false, isUncounted: true });
    const moved = nextState(rejectedCredentials, { ...facts, canSwitch: true });
    expect(moved).toEqual({ status: "retrying", code: "provider_unauthorized", waitSeconds: 0, move: true });
    expect(nextState(rejectedCredentials, { ...facts, lane: "transactional", canSwitch: true })).toMatchObject({
      move: false,
    });
    expect(nextState(rejectedCredentials, { ...facts, retriesAtOnce: true }).status).toBe("failed");
  });

  it("waits for a longer Retry-After, and sends auth mail through another sender instead of waiting over 10 s", () => {
    const late = { ...retry, retryAfterSeconds: 11 };
    expect(nextState({ ...retry, retryAfterSeconds: 1 }, facts)).toMatchObject({ waitSeconds: 2 });
    expect(nextState({ ...retry, retryAfterSeconds: 10 }, { ...facts, canSwitch: true })).toMatchObject({
      waitSeconds: 10,
      move: false,
    });
    expect(nextState(late, { ...facts, canSwitch: true })).toMatchObject({ waitSeconds: 0, move: true });
    expect(nextState(late, facts)).toMatchObject({ waitSeconds: 11, move: false });
    const bulk = { ...facts, lane: "bulk", canSwitch: true } as const;
    expect(nextState({ ...retry, retryAfterSeconds: 31 }, bulk)).toMatchObject({ waitSeconds: 31, move: false });
    expect(nextState(rateLimited, { ...bulk, rateLimits: 2 })).toMatchObject({ waitSeconds: 120, isUncounted: true });
  });
});

describe("retries", () => {
  it("wait 2, 6, 15, 30 and 60 s in the auth lane, and then fail with the last code", async () => {
    const harness = startDelivery({ respond: rejectWith(503) });
    const company = createCompany();
    const id = await storeMessage(company, { expires_at: harness.now() + 3_600_000 });
    for (const wait of [2, 6, 15, 30, 60]) {
      await deliverNow(harness.build(), [id], "auth");
      expect(await readMessage(id)).toMatchObject({
        status: "retrying",
        next_attempt_at: harness.now() + wait * 1000,
        last_error_code: "provider_unavailable",
      });
      expect(harness.enqueued.pop()).toEqual({ lane: "auth", ids: [id], delaySeconds: wait });
      harness.advance(wait * 1000 - 1);
      await deliverNow(harness.build(), [id], "auth");
      harness.advance(1);
    }
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({ status: "failed", attempt_count: 6, variables_enc: null, rank: 5 });
    expect((await readMessage(id)).last_error_code).toBe("provider_unavailable");
    expect(harness.calls).toHaveLength(6);
    expect(new Set(harness.calls.map((call) => call.idempotencyKey))).toEqual(new Set([`msg_${id}`]));
    expect(await eventsOf(id)).toEqual([...Array(5).fill("retrying"), "failed"]);
    expect(await countsOf(company)).toEqual({ failed: 1 });
  });

  it("double their wait from 30 s in the transactional lane, for 8 attempts in total", async () => {
    const company = createCompany();
    const settings = { platformCompanyIds: new Set([company]) };
    const harness = startDelivery({ respond: rejectWith(500), settings });
    const id = await storeMessage(company, { lane: "transactional" });
    for (const wait of [30, 60, 120, 240, 480, 960, 1920]) {
      await deliverNow(harness.build(), [id], "transactional");
      expect((await readMessage(id)).next_attempt_at).toBe(harness.now() + wait * 1000);
      harness.advance(wait * 1000);
    }
    await deliverNow(harness.build(), [id], "transactional");
    expect(await readMessage(id)).toMatchObject({ status: "failed", attempt_count: 8, variables_enc: null });
  });

  it("honour Retry-After in seconds", async () => {
    const harness = startDelivery({ respond: rejectWith(429, { "Retry-After": "7" }) });
    const id = await storeMessage(createCompany());
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({
      status: "retrying",
      last_error_code: "provider_rate_limited",
      next_attempt_at: harness.now() + 7000,
    });
  });

  it("wait longer after each 429 response, up to 1920 s, and count none of these attempts within a day of acceptance", async () => {
    const harness = startDelivery({ respond: rejectWith(429, { "Retry-After": "1" }) });
    const company = createCompany();
    await storeProvider(company, { kind: "api", api_key: `key-${company}` });
    const id = await storeMessage(company, { lane: "transactional", scope: "company" });
    const states: unknown[] = [];
    for (let i = 0; i < 9; i++) {
      await deliverNow(harness.build(), [id], "transactional");
      const { status, attempt_count, next_attempt_at } = await readMessage(id);
      states.push([status, attempt_count, ((next_attempt_at ?? 0) - harness.now()) / 1000]);
      // Advances past the wait, and past the breaker that the rejections open.
      harness.advance(3_600_000);
    }
    const waits = [30, 60, 120, 240, 480, 960, 1920, 1920, 1920];
    expect(states).toEqual(waits.map((wait) => ["retrying", 0, wait]));
    expect(harness.calls).toHaveLength(9);
    harness.state.respond = accept;
    await deliverNow(harness.build(), [id], "transactional");
    expect(await readMessage(id)).toMatchObject({ status: "sent", attempt_count: 1 });
  });

  it("expire the message immediately when the next attempt would be after its expiry", async () => {
    const harness = startDelivery({ respond: rejectWith(503) });
    const company = createCompany();
    const id = await storeMessage(company, { expires_at: harness.now() + 1500 });
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({ status: "expired", last_error_code: "expired", variables_enc: null });
    expect(await eventsOf(id)).toEqual(["expired"]);
    expect(await countsOf(company)).toEqual({ expired: 1 });
  });

  it("run without waits until the final status in sync mode", async () => {
    const harness = startDelivery({
      respond: (call, request, init) => (call < 4 ? rejectWith(503) : accept)(call, request, init),
    });
    const company = createCompany();
    const ids = [await storeMessage(company), await storeMessage(company)];
    await deliverNow(harness.build(), ids, "auth", { sync: true });
    for (const id of ids) expect(await readMessage(id)).toMatchObject({ status: "sent", attempt_count: 4 });
    harness.state.respond = rejectWith(503);
    const id = await storeMessage(company);
    await deliverNow(harness.build(), [id], "auth", { sync: true });
    expect(await readMessage(id)).toMatchObject({ status: "failed", attempt_count: 6 });
    expect(harness.enqueued).toEqual([]);
  });
});

describe("an expired message", () => {
  it("receives the status `expired` when it is claimed, even while its lane is paused, and is never sent", async () => {
    const harness = startDelivery();
    const company = createCompany();
    const id = await storeMessage(company, { expires_at: harness.now() });
    await pauseLane("auth", company);
    await deliverNow(harness.build(), [id], "auth");
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({ status: "expired", variables_enc: null, last_error_code: "expired" });
    expect(await eventsOf(id)).toEqual(["expired"]);
    expect(await countsOf(company)).toEqual({ expired: 1 });
    expect(harness.calls).toEqual([]);
  });
});
