import { and, eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import type { SuppressionHit } from "../../../db/email/rows";
import { lane_states, unsubscribes } from "../../../db/email/schema";
import type { Lane } from "../../../schemas/email/delivery/lanes";
import { createLog } from "../../../workers/kit/log";
import { deliverNow } from "../../support/email/deliver-now";
import { accept, createCompany, rejectWith, startDelivery, testSettings } from "../../support/email/delivery";
import { attemptsOf, countsOf, eventsOf, hmacOf, readMessage, storeMessage } from "../../support/email/messages";
import { deleteRows, insertRow, pauseLane, suppressHash } from "../../support/email/rows";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

const RELAY = { host: "", port: 587, username: "", password: "", useTls: true, useSsl: false };

const shortHmacOf = (company: number) => Buffer.from(hmacOf(company), "hex").toString("base64url");

describe("a batch of queue messages", () => {
  it("writes one log line with counts and a warning for each failed message", async () => {
    const lines: Record<string, unknown>[] = [];
    for (const level of ["log", "warn", "error"] as const) {
      vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(JSON.parse(line)));
    }
    const company = createCompany();
    const ids = [await storeMessage(company), await storeMessage(company), await storeMessage(company)];
    const harness = startDelivery({
      respond: (call, request, init) =>
        request.idempotencyKey.endsWith(ids[2] ?? "")
          ? rejectWith(422)(call, request, init)
          : accept(call, request, init),
    });
    const log = createLog({ service: "email" });
    expect(await harness.consumeIds(ids, "auth", harness.build({ log }))).toBe("acked");
    expect(lines.filter(({ level }) => level === "info")).toMatchObject([
      { message: "queue batch", queue: "email-auth", ids: 3, sent: 2, failed: 1, db_round_trips: expect.any(Number) },
    ]);
    expect(lines.filter(({ level }) => level !== "info")).toMatchObject([
      { message: "delivery failed", message_id: ids[2], level: "warn" },
    ]);
  });
});

describe("the delivery of one message", () => {
  it("uses the message id as idempotency key and deletes the variables, in two round trips", async () => {
    const harness = startDelivery();
    const company = createCompany();
    const id = await storeMessage(company);
    const services = harness.build();
    await deliverNow(services, [id], "auth");

    expect(services.platformDb.stats.roundTrips).toBe(2);
    expect(harness.calls).toHaveLength(1);
    expect(harness.calls[0]).toMatchObject({
      idempotencyKey: `msg_${id}`,
      bearer: "re_platform_key",
      requestId: "req-of-accept",
    });
    expect(harness.calls[0]?.mail).toMatchObject({ to: ["mina@example.com"], subject: "Sign in to Aster" });
    expect(harness.calls[0]?.mail.from).toBe('"Aster via Platform" <no-reply@platform.example.com>');
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
    expect(harness.enqueued).toEqual([]);
  });

  it("ignores an unknown id and a message that is not due", async () => {
    const harness = startDelivery();
    const id = await storeMessage(createCompany(), { next_attempt_at: harness.now() + 1 });
    await deliverNow(harness.build(), [id, "0".repeat(32)], "auth");
    expect(harness.calls).toEqual([]);
    expect((await readMessage(id)).status).toBe("queued");
  });

  it("ignores a message of another lane", async () => {
    const harness = startDelivery();
    const id = await storeMessage(createCompany());
    await deliverNow(harness.build(), [id], "bulk");
    expect((await readMessage(id)).status).toBe("queued");
  });
});

describe("a pause", () => {
  it("holds back the messages of one company or of all companies until it ends", async () => {
    const harness = startDelivery();
    const company = createCompany();
    const id = await storeMessage(company, { lane: "bulk" });
    const settings = { platformCompanyIds: new Set([company]) };
    const services = () => ({ ...harness.build(), settings: { ...testSettings(), ...settings } });
    for (const [owner, scope] of [
      [0, ""],
      [company, "platform"],
    ] as const) {
      await pauseLane("bulk", owner, scope);
      await deliverNow(services(), [id], "bulk");
      expect((await readMessage(id)).status).toBe("queued");
      await deleteRows(lane_states, and(eq(lane_states.lane, "bulk"), eq(lane_states.company_id, owner)));
    }
    await deliverNow(services(), [id], "bulk");
    expect((await readMessage(id)).status).toBe("sent");
  });
});

describe("the checks before the provider request", () => {
  const suppress = (
    company: number,
    reason: SuppressionHit["reason"],
    lanes: Lane[] = [],
    expiresAt: number | null = null,
  ) => suppressHash(company, hmacOf(company), { reason, lanes, expires_at: expiresAt });

  it("suppress auth mail after a hard bounce since the acceptance, but not after a complaint", async () => {
    const harness = startDelivery();
    const [bounced, complained] = [createCompany(), createCompany()];
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

  it("ignore suppressions of other lanes and expired ones, and honour an unsubscribe from the category", async () => {
    const companies = [createCompany(), createCompany(), createCompany(), createCompany()] as const;
    const harness = startDelivery({ settings: { platformCompanyIds: new Set(companies) } });
    await suppress(companies[0], "manual", ["bulk"]);
    await suppress(companies[1], "manual", [], harness.now() - 1);
    await suppress(companies[2], "manual", ["transactional"]);
    await insertRow(unsubscribes, {
      company_id: companies[3],
      email_hmac: hmacOf(companies[3]),
      category: "transactional",
      source: "page",
      created_at: 0,
    });
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

  it("fail messages with unreadable variables, missing content or URLs that are no longer allowed", async () => {
    const harness = startDelivery({ settings: { authLinkHosts: ["elsewhere.example.com"] } });
    const company = createCompany();
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

  it("fail other mail without a sender, and send auth mail through the platform", async () => {
    const harness = startDelivery();
    const company = createCompany();
    const auth = await storeMessage(company, { scope: "company" });
    const other = await storeMessage(company, { scope: "company", lane: "transactional" });
    await deliverNow(harness.build(), [auth], "auth");
    await deliverNow(harness.build(), [other], "transactional");
    expect(await readMessage(auth)).toMatchObject({ status: "sent", scope: "platform" });
    expect(await readMessage(other)).toMatchObject({ status: "failed", last_error_code: "provider_not_configured" });
  });
});

describe("mail headers", () => {
  it("offer one-click unsubscribe in bulk mail, and mark transactional and sign-in mail as auto-generated", async () => {
    const company = createCompany();
    const harness = startDelivery({ settings: { platformCompanyIds: new Set([company]) } });
    const bulk = await storeMessage(company, { lane: "bulk" });
    const transactional = await storeMessage(company, { lane: "transactional" });
    await deliverNow(harness.build(), [bulk], "bulk");
    await deliverNow(harness.build(), [transactional], "transactional");
    await deliverNow(harness.build(), [await storeMessage(company)], "auth");
    const [first, second, third] = harness.calls;
    expect(third?.mail.headers).toEqual(second?.mail.headers);
    expect(first?.mail.headers?.["List-Unsubscribe"]).toMatch(
      new RegExp(`^<http://localhost:8787/email/u/${company}\\.bulk\\.${shortHmacOf(company)}\\.[A-Za-z0-9_-]{43}>$`),
    );
    expect(first?.mail.headers?.["List-Unsubscribe-Post"]).toBe("List-Unsubscribe=One-Click");
    expect(first?.mail.from).toBe('"Aster via Platform" <news@platform.example.com>');
    expect(second?.mail.headers).toEqual({ "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" });
  });
});

it("groups notices about one thing of a company into a conversation", async () => {
  const [company, other] = [createCompany(), createCompany()];
  const harness = startDelivery({ settings: { platformCompanyIds: new Set([company, other]) } });
  const store = (companyId: number, thread_id: string) =>
    storeMessage(companyId, {
      lane: "transactional",
      event_type: "identity.group.updated",
      variables: { company_name: "Aster", thread_id },
    });
  for (const id of [
    await store(company, "1"),
    await store(company, "1"),
    await store(company, "2"),
    await store(other, "1"),
  ])
    await deliverNow(harness.build(), [id], "transactional");
  const [first, second, ...others] = harness.calls.map(({ mail }) => mail.headers?.References ?? "");
  expect(first).toMatch(/^<thread-[0-9a-f]{32}@platform\.example\.com>$/);
  expect(second).toBe(first);
  expect(new Set([first, ...others]).size).toBe(3);
});

describe("the unsubscribe link", () => {
  it("stops the category of bulk mail, and is missing in mail that asks for a confirmation", async () => {
    const company = createCompany();
    const harness = startDelivery({ settings: { platformCompanyIds: new Set([company]) } });
    const bulk = await storeMessage(company, { lane: "bulk", category: "list-7" });
    const confirmation = await storeMessage(company, {
      lane: "transactional",
      event_type: "newsletter_confirmation",
      list_id: 7,
    });
    await deliverNow(harness.build(), [bulk], "bulk");
    await deliverNow(harness.build(), [confirmation], "transactional");
    const [first, second] = harness.calls;
    expect(first?.mail.headers?.["List-Unsubscribe"]).toMatch(
      new RegExp(`^<http://localhost:8787/email/u/${company}\\.list-7\\.${shortHmacOf(company)}\\.[A-Za-z0-9_-]{43}>$`),
    );
    expect(second?.mail.headers).not.toHaveProperty("List-Unsubscribe");
    expect(`${second?.mail.html}${second?.mail.text}`).not.toContain("/u/");
  });
});

describe("many messages", () => {
  it("are claimed in parts, at most five at a time and 300 in one invocation; the others are enqueued again", async () => {
    const company = createCompany();
    let [running, maxParallel] = [0, 0];
    const harness = startDelivery({
      respond: async (...request) => {
        running += 1;
        maxParallel = Math.max(maxParallel, running);
        await Promise.resolve();
        running -= 1;
        return accept(...request);
      },
      settings: { platformCompanyIds: new Set([company]) },
    });
    const ids = await Promise.all(Array.from({ length: 305 }, () => storeMessage(company, { lane: "transactional" })));
    const services = harness.build();
    await deliverNow(services, ids, "transactional");
    expect(harness.calls).toHaveLength(300);
    expect(maxParallel).toBeLessThanOrEqual(5);
    expect(services.platformDb.stats.roundTrips).toBe(12);
    expect(harness.enqueued).toEqual([{ lane: "transactional", ids: ids.slice(300), delaySeconds: 0 }]);
    expect(await countsOf(company)).toEqual({ sent: 300, queued: 5 });
  });

  it("are released without counting an attempt if they could outlast the lease", async () => {
    const company = createCompany();
    const harness = startDelivery();
    harness.state.respond = (...request) => {
      harness.advance(4000);
      return accept(...request);
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
    expect(harness.enqueued).toEqual([
      { lane: "auth", ids: expect.arrayContaining(released.map((row) => row.id)), delaySeconds: 0 },
    ]);
    expect(harness.calls).toHaveLength(10 - released.length);
  });
});

describe("an unreachable relay", () => {
  it("causes a retry without marking the row as started", async () => {
    const relay = { ...RELAY, host: "127.0.0.1", port: 9, useTls: false };
    const harness = startDelivery({ settings: { platformTransport: "smtp", relay, smtpTimeoutMs: 2000 } });
    const id = await storeMessage(createCompany());
    await deliverNow(harness.build(), [id], "auth");
    expect(await readMessage(id)).toMatchObject({ status: "retrying", provider: "smtp", data_started: false });
    expect(["provider_unreachable", "provider_timeout"]).toContain((await readMessage(id)).last_error_code);
  });
});
