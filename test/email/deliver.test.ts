import { afterEach, describe, expect, it } from "vitest";
import { deliverNow } from "../../workers/email/jobs/deliver";
import { type AttemptFacts, LANE_POLICIES, nextState } from "../../workers/email/rules/delivery";
import { clock } from "../../workers/kit/clock";
import {
  accept,
  attemptsOf,
  countsOf,
  eventsOf,
  execute,
  freshCompany,
  pausesOfCompany,
  readMessage,
  refuse,
  startDelivery,
  storeMessage,
  storeProvider,
  testSettings,
} from "./delivery-harness";

const realNow = clock.now;
afterEach(() => {
  clock.now = realNow;
});

const RELAY = { host: "", port: 587, username: "", password: "", useTls: true, useSsl: false };

describe("the state that follows an attempt", () => {
  const facts: AttemptFacts = {
    lane: "auth",
    attempt: 1,
    faults: 0,
    now: 1_000_000,
    expiresAt: null,
    canMove: false,
    withoutWaits: false,
  };
  const retry = { kind: "retry", code: "provider_unavailable" } as const;

  it.each([
    ["accepted is sent", { kind: "accepted", providerMessageId: "p" } as const, {}, "sent"],
    ["suppressed stays unsent", { kind: "suppressed", code: "unsubscribed" } as const, {}, "suppressed"],
    ["a final outcome fails", { kind: "final", code: "provider_rejected" } as const, {}, "failed"],
    ["an unknown outcome after DATA fails", { kind: "final", code: "delivery_unknown" } as const, {}, "failed"],
    ["a retryable one waits", retry, {}, "retrying"],
    ["the last auth attempt fails", retry, { attempt: 6 }, "failed"],
    ["the last transactional attempt fails", retry, { lane: "transactional", attempt: 8 }, "failed"],
    ["a wait that ends at the expiry expires", retry, { expiresAt: 1_002_000 }, "expired"],
    ["a wait that ends before the expiry waits", retry, { expiresAt: 1_002_001 }, "retrying"],
    [
      "the third fault of the service waits",
      { kind: "retry", code: "provider_error" } as const,
      { faults: 2 },
      "retrying",
    ],
    [
      "the fourth fault of the service fails",
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
  ] as const)("waits of the %s lane", (lane, waits) => {
    const seen = Array.from({ length: LANE_POLICIES[lane].attempts - 1 }, (_, index) =>
      nextState(retry, { ...facts, lane, attempt: index + 1 }),
    );
    expect(seen.map((state) => state.status === "retrying" && state.waitSeconds)).toEqual(waits);
  });

  it("a Retry-After replaces the wait; a long one on the auth lane moves at once when there is another sender", () => {
    const late = { ...retry, retryAfterSeconds: 11 };
    expect(nextState({ ...retry, retryAfterSeconds: 10 }, { ...facts, canMove: true })).toMatchObject({
      waitSeconds: 10,
      move: false,
    });
    expect(nextState(late, { ...facts, canMove: true })).toMatchObject({ waitSeconds: 0, move: true });
    expect(nextState(late, facts)).toMatchObject({ waitSeconds: 11, move: false });
    expect(nextState(late, { ...facts, lane: "bulk", canMove: true })).toMatchObject({ waitSeconds: 11, move: false });
  });
});

describe("one delivery", () => {
  it("is sent with the message id as idempotency key, its variables are wiped, in two round trips", async () => {
    const harness = startDelivery();
    const company = freshCompany();
    const id = await storeMessage(company);
    const services = harness.build();
    await deliverNow(services, [id], "auth");

    expect(services.db.stats.roundTrips).toBe(2);
    expect(harness.calls).toHaveLength(1);
    expect(harness.calls[0]).toMatchObject({
      idempotencyKey: `msg_${id}`,
      bearer: "re_platform_key",
      requestId: "req-of-accept",
    });
    expect(harness.calls[0]?.mail).toMatchObject({ to: ["mina@example.com"], subject: "Sign in to Aster" });
    expect(harness.calls[0]?.mail.from).toBe('"Platform" <no-reply@platform.example.com>');
    expect(await readMessage(id)).toMatchObject({
      status: "sent",
      provider: "api",
      provider_message_id: `prov-msg_${id}`,
      variables_enc: null,
      lease_token: null,
      locked_until: null,
      attempt_count: 1,
      claim_count: 0,
      rank: 10,
      sent_at: harness.now(),
      last_error_code: null,
    });
    expect(await eventsOf(id)).toEqual(["sent"]);
    expect(await countsOf(company)).toEqual({ sent: 1 });
    expect(await attemptsOf(id)).toMatchObject([
      { attempt: 1, provider: "api", scope: "platform", outcome: "accepted" },
    ]);
    expect(harness.rung).toEqual([]);
  });

  it("of an unknown id or one that is not due does nothing", async () => {
    const harness = startDelivery();
    const id = await storeMessage(freshCompany(), { next_attempt_at: harness.now() + 1 });
    await deliverNow(harness.build(), [id, "0".repeat(32)], "auth");
    expect(harness.calls).toEqual([]);
    expect((await readMessage(id)).status).toBe("queued");
  });

  it("takes no message of another lane", async () => {
    const harness = startDelivery();
    const id = await storeMessage(freshCompany());
    await deliverNow(harness.build(), [id], "bulk");
    expect((await readMessage(id)).status).toBe("queued");
  });
});

describe("retries", () => {
  it("of the auth lane wait 2, 6, 15, 30 and 60 s and then fail with the last code", async () => {
    const harness = startDelivery({ answer: refuse(503) });
    const company = freshCompany();
    const id = await storeMessage(company, { expires_at: harness.now() + 3_600_000 });
    for (const wait of [2, 6, 15, 30, 60]) {
      await deliverNow(harness.build(), [id], "auth");
      expect(await readMessage(id)).toMatchObject({
        status: "retrying",
        next_attempt_at: harness.now() + wait * 1000,
        last_error_code: "provider_unavailable",
      });
      expect(harness.rung.pop()).toEqual({ lane: "auth", ids: [id], delaySeconds: wait });
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

  it("of the transactional lane wait 30 s doubling, 8 attempts in all", async () => {
    const company = freshCompany();
    const settings = { platformCompanyIds: new Set([company]) };
    const harness = startDelivery({ answer: refuse(500), settings });
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
    const harness = startDelivery({ answer: refuse(429, { "Retry-After": "7" }) });
    const id = await storeMessage(freshCompany());
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({
      status: "retrying",
      last_error_code: "provider_rate_limited",
      next_attempt_at: harness.now() + 7000,
    });
  });

  it("whose wait ends after the expiry expire at once", async () => {
    const harness = startDelivery({ answer: refuse(503) });
    const company = freshCompany();
    const id = await storeMessage(company, { expires_at: harness.now() + 1500 });
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({ status: "expired", last_error_code: "expired", variables_enc: null });
    expect(await eventsOf(id)).toEqual(["expired"]);
    expect(await countsOf(company)).toEqual({ expired: 1 });
  });

  it("in the synchronous mode run without waits to the end", async () => {
    const harness = startDelivery({
      answer: (call, seen, init) => (call < 4 ? refuse(503) : accept)(call, seen, init),
    });
    const company = freshCompany();
    const ids = [await storeMessage(company), await storeMessage(company)];
    await deliverNow(harness.build(), ids, "auth", { sync: true });
    for (const id of ids) expect(await readMessage(id)).toMatchObject({ status: "sent", attempt_count: 4 });
    harness.state.answer = refuse(503);
    const id = await storeMessage(company);
    await deliverNow(harness.build(), [id], "auth", { sync: true });
    expect(await readMessage(id)).toMatchObject({ status: "failed", attempt_count: 6 });
    expect(harness.rung).toEqual([]);
  });
});

describe("a message past its life", () => {
  it("is expired by the claim, paused or not, and never sent", async () => {
    const harness = startDelivery();
    const company = freshCompany();
    const id = await storeMessage(company, { expires_at: harness.now() });
    await execute(
      "INSERT INTO lane_states (lane, company_id, scope, paused, paused_at) VALUES ('auth', ?, 'platform', 1, 0)",
      company,
    );
    await deliverNow(harness.build(), [id], "auth");
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({ status: "expired", variables_enc: null, last_error_code: "expired" });
    expect(await eventsOf(id)).toEqual(["expired"]);
    expect(await countsOf(company)).toEqual({ expired: 1 });
    expect(harness.calls).toEqual([]);
  });
});

describe("the other sender", () => {
  it("takes auth mail of a company provider from attempt 3 on, with the platform From", async () => {
    const harness = startDelivery({
      answer: (call, seen, init) => (seen.bearer === "company-key" ? refuse(500) : accept)(call, seen, init),
    });
    const company = freshCompany();
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
      '"Platform" <no-reply@platform.example.com>',
    ]);
    expect(await readMessage(id)).toMatchObject({ status: "sent", scope: "platform", provider: "api" });
    expect((await attemptsOf(id)).map((entry) => entry.scope)).toEqual(["company", "company", "platform"]);
  });

  it("takes auth mail at once after a long Retry-After", async () => {
    const harness = startDelivery({
      answer: (call, seen, init) =>
        (seen.bearer === "company-key" ? refuse(429, { "Retry-After": "60" }) : accept)(call, seen, init),
    });
    const company = freshCompany();
    await storeProvider(company, { kind: "api", api_key: "company-key" });
    const id = await storeMessage(company, { scope: "company" });
    await deliverNow(harness.build(), [id], "auth");
    expect(harness.rung).toEqual([{ lane: "auth", ids: [id], delaySeconds: 0 }]);
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({ status: "sent", scope: "platform", attempt_count: 2 });
    expect(await attemptsOf(id)).toMatchObject([{ move: true, wait_seconds: 0 }, { outcome: "accepted" }]);
  });

  it("takes other mail of platform companies only, from attempt 4 on", async () => {
    const [ordinary, platform] = [freshCompany(), freshCompany()];
    const settings = { platformCompanyIds: new Set([platform]) };
    const harness = startDelivery({ answer: refuse(500), settings });
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

describe("refused credentials", () => {
  it.each([401, 403])("with HTTP %s fail the message and pause that company's lane only", async (status) => {
    const harness = startDelivery({ answer: refuse(status) });
    const [company, neighbour] = [freshCompany(), freshCompany()];
    await storeProvider(company, { kind: "api", api_key: "old-key" });
    const id = await storeMessage(company, { scope: "company" });
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({
      status: "failed",
      last_error_code: "provider_unauthorized",
      variables_enc: null,
    });
    expect(await pausesOfCompany(company)).toMatchObject([{ lane: "auth", scope: "company" }]);

    harness.state.answer = accept;
    const held = await storeMessage(company, { scope: "company" });
    const platformScope = await storeMessage(company);
    const other = await storeMessage(neighbour);
    await deliverNow(harness.build(), [held, platformScope, other], "auth");
    expect((await readMessage(held)).status).toBe("queued");
    expect((await readMessage(platformScope)).status).toBe("sent");
    expect((await readMessage(other)).status).toBe("sent");

    // New credentials have another fingerprint: the pause ends by itself.
    await storeProvider(company, { kind: "api", api_key: "new-key" });
    await deliverNow(harness.build(), [held], "auth");
    expect((await readMessage(held)).status).toBe("sent");
  });

  it("of the platform free every company when the key is replaced", async () => {
    const company = freshCompany();
    const refused = startDelivery({ answer: refuse(401) });
    await deliverNow(refused.build(), [await storeMessage(company)], "auth");
    const held = await storeMessage(company);
    await deliverNow(refused.build(), [held], "auth");
    expect((await readMessage(held)).status).toBe("queued");
    const platformApi = { apiKey: "re_new_key", baseUrl: "http://127.0.0.1:9" };
    const renewed = startDelivery({ settings: { platformApi } });
    await deliverNow(renewed.build(), [held], "auth");
    expect(await readMessage(held)).toMatchObject({ status: "sent" });
  });

  it("leave the rest of the group waiting, its attempts uncounted", async () => {
    const harness = startDelivery({ answer: refuse(401) });
    const company = freshCompany();
    await storeProvider(company, { kind: "api", api_key: "bad" });
    const ids = await Promise.all(Array.from({ length: 10 }, () => storeMessage(company, { scope: "company" })));
    await deliverNow(harness.build(), ids, "auth");
    const rows = await Promise.all(ids.map(readMessage));
    expect(harness.calls.length).toBeLessThanOrEqual(5);
    const waiting = rows.filter((row) => row.status === "retrying");
    expect(waiting).toHaveLength(10 - harness.calls.length);
    for (const row of waiting) expect(row).toMatchObject({ attempt_count: 0, claim_count: 0, lease_token: null });
  });
});

describe("a pause", () => {
  it("by staff for everybody, or for one company, holds messages back until it ends", async () => {
    const harness = startDelivery();
    const company = freshCompany();
    const id = await storeMessage(company, { lane: "bulk" });
    const settings = { platformCompanyIds: new Set([company]) };
    const services = () => ({ ...harness.build(), settings: { ...testSettings(), ...settings } });
    for (const [owner, scope] of [
      [0, ""],
      [company, "platform"],
    ] as const) {
      await execute(
        "INSERT INTO lane_states (lane, company_id, scope, paused, paused_at) VALUES ('bulk', ?, ?, 1, 0)",
        owner,
        scope,
      );
      await deliverNow(services(), [id], "bulk");
      expect((await readMessage(id)).status).toBe("queued");
      await execute("DELETE FROM lane_states WHERE lane = 'bulk' AND company_id = ?", owner);
    }
    await deliverNow(services(), [id], "bulk");
    expect((await readMessage(id)).status).toBe("sent");
  });
});

describe("before the provider is called", () => {
  const suppress = (company: number, reason: string, lanes: string[] = [], expiresAt: number | null = null) =>
    execute(
      `INSERT INTO suppressions (company_id, email_hmac, email_masked, reason, lanes, expires_at, created_at)
       VALUES (?, ?, 'm***', ?, ?, ?, 0)`,
      company,
      `hmac-${company}`,
      reason,
      JSON.stringify(lanes),
      expiresAt,
    );

  it("a hard bounce that came after the accept suppresses auth mail; a complaint does not", async () => {
    const harness = startDelivery();
    const [bounced, complained] = [freshCompany(), freshCompany()];
    await suppress(bounced, "hard_bounce");
    await suppress(complained, "complaint");
    const first = await storeMessage(bounced);
    const second = await storeMessage(complained);
    await deliverNow(harness.build(), [first, second], "auth");
    expect(await readMessage(first)).toMatchObject({
      status: "suppressed",
      last_error_code: "recipient_suppressed",
      variables_enc: null,
      provider: "",
    });
    expect(await readMessage(second)).toMatchObject({ status: "sent" });
    expect(await eventsOf(first)).toEqual(["suppressed"]);
    expect(await countsOf(bounced)).toEqual({ suppressed: 1 });
  });

  it("suppressions of other lanes and ended ones do not count; an unsubscribe stops its category", async () => {
    const companies = [freshCompany(), freshCompany(), freshCompany(), freshCompany()] as const;
    const harness = startDelivery({ settings: { platformCompanyIds: new Set(companies) } });
    await suppress(companies[0], "manual", ["bulk"]);
    await suppress(companies[1], "manual", [], harness.now() - 1);
    await suppress(companies[2], "manual", ["transactional"]);
    await execute(
      "INSERT INTO unsubscribes (company_id, email_hmac, category, source, created_at) VALUES (?, ?, 'transactional', 'page', 0)",
      companies[3],
      `hmac-${companies[3]}`,
    );
    const ids = await Promise.all(companies.map((company) => storeMessage(company, { lane: "transactional" })));
    await deliverNow(harness.build(), ids, "transactional");
    const rows = await Promise.all(ids.map(readMessage));
    expect(rows.map((row) => [row.status, row.last_error_code])).toEqual([
      ["sent", null],
      ["sent", null],
      ["suppressed", "recipient_suppressed"],
      ["suppressed", "unsubscribed"],
    ]);
    expect(rows.every((row) => row.variables_enc === null)).toBe(true);
  });

  it("unreadable variables, missing content and URLs that are not allowed now fail with their codes", async () => {
    const harness = startDelivery({ settings: { authLinkHosts: ["elsewhere.example.com"] } });
    const company = freshCompany();
    const ids = [
      await storeMessage(company, { variables_enc: "v1.00000000.AAAA.AAAA" }),
      await storeMessage(company, { default_checksum: "gone" }),
      await storeMessage(company),
    ];
    await deliverNow(harness.build(), ids, "auth");
    const rows = await Promise.all(ids.map(readMessage));
    expect(rows.map((row) => row.last_error_code)).toEqual([
      "variables_unreadable",
      "template_missing",
      "variable_url_not_allowed",
    ]);
    expect(rows.every((row) => row.status === "failed" && row.variables_enc === null)).toBe(true);
    expect(harness.calls).toEqual([]);
    expect(await countsOf(company)).toEqual({ failed: 3 });
  });

  it("a sender that is gone fails other mail and moves auth mail to the platform", async () => {
    const harness = startDelivery();
    const company = freshCompany();
    const auth = await storeMessage(company, { scope: "company" });
    const other = await storeMessage(company, { scope: "company", lane: "transactional" });
    await deliverNow(harness.build(), [auth], "auth");
    await deliverNow(harness.build(), [other], "transactional");
    expect(await readMessage(auth)).toMatchObject({ status: "sent", scope: "platform" });
    expect(await readMessage(other)).toMatchObject({ status: "failed", last_error_code: "provider_not_configured" });
  });
});

describe("bulk and transactional mail", () => {
  it("of the bulk lane carries one-click headers, transactional mail only the link variables", async () => {
    const company = freshCompany();
    const harness = startDelivery({ settings: { platformCompanyIds: new Set([company]) } });
    const bulk = await storeMessage(company, { lane: "bulk" });
    const transactional = await storeMessage(company, { lane: "transactional" });
    await deliverNow(harness.build(), [bulk], "bulk");
    await deliverNow(harness.build(), [transactional], "transactional");
    const [first, second] = harness.calls;
    expect(first?.mail.headers?.["List-Unsubscribe"]).toMatch(
      new RegExp(`^<http://localhost:8787/email/u/${company}\\.bulk\\.hmac-${company}\\.[0-9a-f]{64}>$`),
    );
    expect(first?.mail.headers?.["List-Unsubscribe-Post"]).toBe("List-Unsubscribe=One-Click");
    expect(first?.mail.from).toBe('"Platform" <news@platform.example.com>');
    expect(second?.mail.headers).toBeUndefined();
  });
});

describe("many messages", () => {
  it("are claimed in parts, sent at most five at a time and 300 in one invocation; the rest is rung again", async () => {
    const company = freshCompany();
    let [running, most] = [0, 0];
    const harness = startDelivery({
      answer: async (call, seen, init) => {
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        running -= 1;
        return accept(call, seen, init);
      },
      settings: { platformCompanyIds: new Set([company]) },
    });
    const ids: string[] = [];
    for (let n = 0; n < 305; n++) ids.push(await storeMessage(company, { lane: "transactional" }));
    const services = harness.build();
    await deliverNow(services, ids, "transactional");
    expect(harness.calls).toHaveLength(300);
    expect(most).toBeLessThanOrEqual(5);
    expect(services.db.stats.roundTrips).toBe(12);
    expect(harness.rung).toEqual([{ lane: "transactional", ids: ids.slice(300), delaySeconds: 0 }]);
    expect(await countsOf(company)).toEqual({ sent: 300, queued: 5 });
  });

  it("that could outlast the lease are not begun but released uncounted", async () => {
    const company = freshCompany();
    const harness = startDelivery();
    harness.state.answer = (call, seen, init) => {
      harness.advance(4000);
      return accept(call, seen, init);
    };
    const ids = await Promise.all(Array.from({ length: 10 }, () => storeMessage(company)));
    await deliverNow(harness.build(), ids, "auth");
    const rows = await Promise.all(ids.map(readMessage));
    const released = rows.filter((row) => row.status === "retrying");
    expect(released.length).toBeGreaterThan(0);
    for (const row of released) {
      expect(row).toMatchObject({ attempt_count: 0, claim_count: 0, lease_token: null, last_error_code: null });
      expect(await eventsOf(row.id)).toEqual([]);
    }
    expect(harness.rung).toEqual([
      { lane: "auth", ids: expect.arrayContaining(released.map((row) => row.id)), delaySeconds: 0 },
    ]);
    expect(harness.calls).toHaveLength(10 - released.length);
  });
});

describe("a relay that cannot be reached", () => {
  it("is a retry before DATA, and the row is not marked", async () => {
    const relay = { ...RELAY, host: "127.0.0.1", port: 9, useTls: false };
    const harness = startDelivery({ settings: { fallbackProvider: "smtp", relay, smtpTimeoutMs: 2000 } });
    const id = await storeMessage(freshCompany());
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({ status: "retrying", provider: "smtp", data_started: 0 });
    expect(["provider_unreachable", "provider_timeout"]).toContain((await readMessage(id)).last_error_code);
  });
});
