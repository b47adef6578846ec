import { and, eq, type SQL, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { action_deliveries } from "../../../../db/kit/webhooks";
import { clock } from "../../../../workers/kit/clock";
import { callIdentity } from "../../../support/identity/identity";
import { createNetwork } from "../../../support/net/network";
import { eventType, setUpWebhooks, storeAttempt, storeDelivery } from "../../../support/webhooks/api";
import { deleteRows, deliveriesWhere, findDelivery, insertNumbered } from "../../../support/webhooks/rows";

const systemNow = clock.now;
beforeEach(() => {
  createNetwork();
});
afterEach(() => {
  clock.now = systemNow;
  vi.restoreAllMocks();
});

type Delivery = Record<string, unknown> & { id: string; attempts: Record<string, unknown>[] };
type Page = { count?: number; page?: number; page_size: number; results: Delivery[]; next_cursor: string | null };

async function setUp() {
  const set = await setUpWebhooks();
  const { company } = set;
  const rule = await set.createRule();
  const store = (columns: Record<string, string | number | null> = {}) =>
    storeDelivery({ company_id: company.id, rule_id: rule.id, ...columns });
  const page = async (query = "", token?: string) => {
    const { status, body } = await set.call("GET", `/deliveries${query}`, undefined, token);
    expect(status, query).toBe(200);
    return body as Page;
  };
  const ids = async (query = "", token?: string) => (await page(query, token)).results.map(({ id }) => id);
  return { ...set, rule, store, page, ids };
}

/** Returns the fields that many deliveries of a rule share. */
const sharedFields = (id: SQL, company_id: number, rule_id: number) =>
  ({ id, kind: "webhook", company_id, rule_id, rule_name: "Bot", event_id: id, host: "h", body: "{}" }) as const;

const iso = (ms: number) => new Date(ms).toISOString();

describe("the list of webhook deliveries", () => {
  it("shows each delivery newest first with its newest 8 attempts", async () => {
    const { company, rule, store, page } = await setUp();
    const now = clock.now();
    const row = await store({
      created_at: now,
      status: "failed",
      attempt_count: 9,
      requeue_count: 1,
      due_at: now + 60_000,
      last_error: "HTTP 500: no",
      last_error_code: "http_status",
    });
    for (let n = 1; n <= 9; n++)
      await storeAttempt(row.seq, {
        attempt_number: n,
        trigger: n > 1 ? "automatic_retry" : "dispatch",
        scheduled_job_run_id: n > 1 ? n : null,
      });
    const younger = await store({ created_at: now + 1, status: "delivered", delivered_at: now + 2 });
    const sameTime = await store({ created_at: now + 1 });
    const list = await page();
    expect(list).toMatchObject({ count: 3, page: 1, page_size: 20, next_cursor: null });
    expect(list.results.map(({ id }) => id)).toEqual([sameTime.id, younger.id, row.id]);
    expect(list.results[1]).toMatchObject({ delivered_at: iso(now + 2), next_attempt_at: null, attempts: [] });
    const oldest = list.results[2] as Delivery;
    expect(oldest).toEqual({
      id: row.id,
      company_id: company.id,
      action_rule_id: rule.id,
      action_rule_name: "Bot",
      action_kind: "webhook",
      event_type: eventType,
      webhook_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: "failed",
      paused: false,
      attempt_count: 9,
      requeue_count: 1,
      next_attempt_at: iso(now + 60_000),
      last_error: "HTTP 500: no",
      last_error_code: "http_status",
      created_at: expect.any(String),
      updated_at: expect.any(String),
      delivered_at: null,
      attempts: expect.any(Array),
    });
    expect(oldest.attempts.map((attempt) => attempt.attempt_number)).toEqual([9, 8, 7, 6, 5, 4, 3, 2]);
    expect(oldest.attempts[0]).toEqual({
      id: expect.any(Number),
      status: "failure",
      http_status: 500,
      error_code: "http_status",
      error_message: "HTTP 500: no",
      attempt_number: 9,
      requeue_count: 0,
      duration_ms: 12,
      trigger: "automatic_retry",
      created_at: expect.stringMatching(/Z$/),
    });
  });

  it("shows job runs only to staff, and rejects owners who filter by a run", async () => {
    const { company, store, page, ids, code, staff, call } = await setUp();
    const run = Math.floor(Math.random() * 2 ** 40);
    const [a, b] = [await store(), await store()];
    await storeAttempt(a.seq, { scheduled_job_run_id: run, trigger: "automatic_retry" });
    await storeAttempt(a.seq, { scheduled_job_run_id: run, attempt_number: 2 });
    await storeAttempt(b.seq);
    const at = `?company_id=${company.id}`;
    expect(await ids(`${at}&scheduled_job_run_id=${run}`, staff.token)).toEqual([a.id]);
    expect((await page(`${at}&scheduled_job_run_id=${run}`, staff.token)).count).toBe(1);
    expect(await ids(`?scheduled_job_run_id=${run}`, staff.token)).toEqual([]);
    expect(await ids(`${at}&scheduled_job_run_id=${run}&status=dead`, staff.token)).toEqual([]);
    expect(await code("GET", `/deliveries?scheduled_job_run_id=${run}`)).toEqual([403, "forbidden"]);
    expect(await code("GET", "/deliveries?scheduled_job_run_id=x&page=0")).toEqual([403, "forbidden"]);
    const runs = (delivery: Delivery) => delivery.attempts.map((attempt) => attempt.scheduled_job_run_id);
    const byStaff = await page(at, staff.token);
    expect(byStaff.results.map(runs)).toEqual([[null], [run, run]]);
    expect(JSON.stringify(await page())).not.toContain("scheduled_job_run_id");
    const detail = (token?: string) => call("GET", `/deliveries/${a.id}`, undefined, token);
    expect(runs((await detail(staff.token)).body as Delivery)).toEqual([run, run]);
    expect(JSON.stringify((await detail()).body)).not.toContain("scheduled_job_run_id");
  });

  it("filters by status, type, rule, event and period, alone and together", async () => {
    const { company, rule, store, ids, createRule } = await setUp();
    const second = await createRule({ event_type: "identity.user.updated" });
    const at = Date.parse("2026-03-01T10:00:00.000Z");
    const event_id = crypto.randomUUID();
    const a = await store({ created_at: at, status: "dead", event_id });
    const b = await store({ created_at: at + 1, rule_id: second.id, event_type: "identity.user.updated", event_id });
    const c = await store({ created_at: at + 2, status: "failed" });
    const d = await store({ created_at: at + 3, status: "delivered" });
    await storeDelivery({ company_id: company.id + 1_000_000, rule_id: rule.id, event_id: crypto.randomUUID() });
    expect(await ids()).toEqual([d.id, c.id, b.id, a.id]);
    for (const [status, delivery] of [
      ["dead", a],
      ["pending", b],
      ["failed", c],
      ["delivered", d],
    ] as const) {
      expect(await ids(`?status=${status}`)).toEqual([delivery.id]);
    }
    expect(await ids("?event_type=identity.user.updated")).toEqual([b.id]);
    expect(await ids(`?action_rule_id=${second.id}`)).toEqual([b.id]);
    expect(await ids(`?webhook_id=${event_id}`)).toEqual([b.id, a.id]);
    expect(await ids(`?webhook_id=${event_id}&status=dead`)).toEqual([a.id]);
    expect(await ids(`?webhook_id=${event_id.toUpperCase()}`)).toEqual([b.id, a.id]);
    expect(await ids(`?webhook_id=${crypto.randomUUID()}`)).toEqual([]);
    expect(await ids(`?created_after=${iso(at + 1)}&created_before=${iso(at + 3)}`)).toEqual([c.id, b.id]);
    expect(await ids(`?created_after=${encodeURIComponent("2026-03-01T11:00:00.002+01:00")}`)).toEqual([d.id, c.id]);
  });

  it("omits email posts and callbacks, which return 404 and cannot be requeued", async () => {
    const { company, store, ids, code } = await setUp();
    const hook = await store();
    for (const kind of ["email", "callback"]) {
      const row = await store({ kind, rule_id: kind === "email" ? -company.id : -1e12 - company.id, status: "dead" });
      expect(await code("GET", `/deliveries/${row.id}`)).toEqual([404, "not_found"]);
      expect(await code("POST", `/deliveries/${row.id}/requeue`)).toEqual([404, "not_found"]);
    }
    expect(await ids()).toEqual([hook.id]);
  });

  it("marks deliveries of a disabled rule as paused, without a next attempt", async () => {
    const { rule, store, page, call } = await setUp();
    await store();
    await store({ status: "dead" });
    await call("PATCH", `/rules/${rule.id}`, { enabled: false });
    const paused = (await page()).results;
    expect(paused).toMatchObject([
      { status: "dead", paused: false, next_attempt_at: null },
      { status: "pending", paused: true, next_attempt_at: null },
    ]);
    await call("PATCH", `/rules/${rule.id}`, { enabled: true });
    expect((await page("?status=pending")).results).toMatchObject([
      { paused: false, next_attempt_at: expect.any(String) },
    ]);
  });

  it.each([
    ["status", "paused", "invalid"],
    ["event_type", "identity.auth.login.failed", "invalid"],
    ["action_rule_id", "0", "invalid"],
    ["action_rule_id", "x", "invalid"],
    ["created_after", "2026-02-30T00:00:00Z", "invalid"],
    ["created_before", "yesterday", "invalid"],
    ["webhook_id", "nonsense", "invalid"],
    ["webhook_id", "x".repeat(65), "invalid"],
    ["page", "0", "out_of_range"],
    ["page_size", "101", "out_of_range"],
    ["cursor", "e30", "invalid"],
  ])("returns 400 for %s=%s", async (name, value, wrong) => {
    const { code } = await setUp();
    expect(await code("GET", `/deliveries?${name}=${value}`)).toEqual([400, "validation_failed", { [name]: [wrong] }]);
  });

  it("counts at most 4000 deliveries, and lists each once in cursor pages of equal cost at any depth", async () => {
    const { env, company, rule, owner, page } = await setUp();
    await insertNumbered(action_deliveries, 12_000, (i) => ({
      ...sharedFields(sql`${`list-${rule.id}-`} || ${i}`, company.id, rule.id),
      event_type: eventType,
      status: "delivered" as const,
      due_at: 1,
      created_at: sql`${i} / 7`,
      updated_at: 1,
    }));
    const costs: number[] = [];
    vi.spyOn(console, "log").mockImplementation((line: string) => {
      const entry = JSON.parse(line);
      if (entry.message === "request") costs.push(entry.db_rows_read);
    });
    const get = async (query: string) => {
      costs.length = 0;
      const init = { headers: { authorization: `Bearer ${owner.token}` } };
      const body = await (await callIdentity(env, `/api/v1/actions/deliveries?${query}`, init)).json<Page>();
      return { body, cost: costs[0] ?? 0 };
    };
    expect((await get("page_size=10")).body.count).toBe(4000);
    const cursorOf = (time: number) => btoa(JSON.stringify([time, 2 ** 50])).replace(/=+$/, "");
    const nearPage = await get(`page_size=10&cursor=${cursorOf(1700)}`);
    const deep = await get(`page_size=10&cursor=${cursorOf(20)}`);
    expect([nearPage.body.results.length, deep.body.results.length]).toEqual([10, 10]);
    expect(deep.cost).toBe(nearPage.cost);
    expect(deep.cost).toBeLessThan(150);
    const walked: string[] = [];
    let next: string | null = cursorOf(3);
    while (next) {
      const following: Page = await page(`?page_size=4&cursor=${next}`);
      expect(Object.keys(following).sort()).toEqual(["next_cursor", "page_size", "results"]);
      walked.push(...following.results.map(({ id }) => id));
      next = following.next_cursor;
    }
    expect(walked).toEqual(Array.from({ length: 27 }, (_, n) => `list-${rule.id}-${27 - n}`));
    await deleteRows(action_deliveries, eq(action_deliveries.company_id, company.id));
  });
});

describe("a webhook delivery", () => {
  it("contains every attempt, newest first, and the envelope", async () => {
    const { company, call, store } = await setUp();
    const row = await store();
    await Promise.all(Array.from({ length: 10 }, (_, n) => storeAttempt(row.seq, { attempt_number: n + 1 })));
    const { body } = await call("GET", `/deliveries/${row.id}`);
    const { attempts, envelope } = body as Delivery & { envelope: Record<string, unknown> };
    expect(attempts.map((attempt) => attempt.attempt_number)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(envelope).toMatchObject({ id: body.webhook_id, type: eventType, company: { id: company.id } });
  });
});

describe("requeuing webhook deliveries", () => {
  it.each(["dead", "failed"])("makes a %s delivery due immediately and keeps its attempts", async (status) => {
    const { call, store } = await setUp();
    const row = await store({
      status,
      attempt_count: 8,
      claim_count: 9,
      due_at: 5,
      last_error: "x",
      last_error_code: "http_status",
      dispatched_at: 1,
    });
    await Promise.all(Array.from({ length: 10 }, (_, n) => storeAttempt(row.seq, { attempt_number: n + 1 })));
    const now = systemNow();
    clock.now = () => now;
    const { status: code, body } = await call("POST", `/deliveries/${row.id}/requeue`);
    expect(code).toBe(200);
    expect(body).toMatchObject({
      status: "pending",
      attempt_count: 0,
      requeue_count: 1,
      last_error: null,
      last_error_code: null,
      paused: false,
      next_attempt_at: iso(now),
      updated_at: iso(now),
    });
    expect((body as Delivery).attempts).toHaveLength(8);
    expect((await findDelivery(row.id)).claim_count).toBe(0);
  });

  it.each(["pending", "delivered"])("rejects the requeue of a %s delivery", async (status) => {
    const { code, store } = await setUp();
    const row = await store({ status });
    expect(await code("POST", `/deliveries/${row.id}/requeue`)).toEqual([409, "delivery_not_requeueable"]);
  });

  it("keeps deliveries of a disabled rule paused", async () => {
    const { rule, call, store } = await setUp();
    const row = await store({ status: "dead" });
    await call("PATCH", `/rules/${rule.id}`, { enabled: false });
    const { status, body } = await call("POST", `/deliveries/${row.id}/requeue`);
    expect([status, body.status, body.paused, body.next_attempt_at]).toEqual([200, "pending", true, null]);
  });

  it("happens once under concurrent calls", async () => {
    const { call, store } = await setUp();
    const row = await store({ status: "dead" });
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => call("POST", `/deliveries/${row.id}/requeue`)),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect((await findDelivery(row.id)).requeue_count).toBe(1);
  });

  it("keeps the lease of a running attempt, so that no second attempt starts", async () => {
    const { call, store } = await setUp();
    const row = await store({
      status: "failed",
      attempt_count: 3,
      locked_until: clock.now() + 60_000,
      lease_token: "held",
    });
    expect((await call("POST", `/deliveries/${row.id}/requeue`)).body).toMatchObject({
      status: "pending",
      attempt_count: 0,
    });
    const { lease_token, locked_until } = await findDelivery(row.id);
    expect(lease_token).toBe("held");
    expect(locked_until).toBeGreaterThan(0);
  });

  it("selects the dead deliveries of the last 7 days by default, or the requested ones, by creation time", async () => {
    const { rule, call, store, createRule } = await setUp();
    const now = systemNow();
    clock.now = () => now;
    const day = 86_400_000;
    const other = await createRule();
    const rows = {
      old: await store({ status: "dead", created_at: now - 7 * day - 1 }),
      edge: await store({ status: "dead", created_at: now - 7 * day }),
      dead: await store({ status: "dead", created_at: now - day }),
      failed: await store({ status: "failed", created_at: now - day }),
      done: await store({ status: "delivered", created_at: now - day }),
      waiting: await store({ status: "pending", created_at: now - day, due_at: now + 60_000 }),
      foreign: await store({ status: "dead", created_at: now - day, rule_id: other.id }),
    };
    const requeue = async (body?: object) => (await call("POST", `/rules/${rule.id}/requeue`, body)).body;
    const requeued = async () => {
      const { company_id, requeue_count } = action_deliveries;
      const requeued = await deliveriesWhere(and(eq(requeue_count, 1), eq(company_id, rule.company_id as number)));
      return Object.entries(rows).flatMap(([name, { id }]) => (requeued.some((row) => row.id === id) ? [name] : []));
    };
    expect(await requeue({ status: "dead", until: iso(now - 7 * day) })).toEqual({ requeued: 0, complete: true });
    expect(await requeue()).toEqual({ requeued: 2, complete: true });
    expect(await requeued()).toEqual(["edge", "dead"]);
    expect(await requeue()).toEqual({ requeued: 0, complete: true });
    expect(await requeue({ status: "failed", since: iso(now - day), until: iso(now - day + 1) })).toEqual({
      requeued: 1,
      complete: true,
    });
    expect(await requeue({ status: "all", since: iso(0) })).toEqual({ requeued: 1, complete: true });
    expect(await requeued()).toEqual(["old", "edge", "dead", "failed"]);
    const row = await findDelivery(rows.failed.id);
    expect(row).toMatchObject({ status: "pending", attempt_count: 0, due_at: now, updated_at: now });
  });

  it("selects at most 20,000 deliveries of a rule per request, and reports if there are more", async () => {
    const { company, rule, call } = await setUp();
    const start = clock.now() - 60_000;
    await insertNumbered(action_deliveries, 20_001, (i) => ({
      ...sharedFields(sql`${`many-${rule.id}-`} || ${i}`, company.id, rule.id),
      event_type: "x",
      status: sql`case when ${i} % 2 then 'dead' else 'failed' end`,
      due_at: 1,
      created_at: sql`${start} + ${i}`,
      updated_at: 1,
    }));
    const requeue = async () => (await call("POST", `/rules/${rule.id}/requeue`, { status: "all" })).body;
    expect(await requeue()).toEqual({ requeued: 20_000, complete: false });
    const { rule_id, requeue_count } = action_deliveries;
    const [remaining] = await deliveriesWhere(and(eq(rule_id, rule.id), eq(requeue_count, 0)));
    expect(remaining?.id).toBe(`many-${rule.id}-20001`);
    expect(await requeue()).toEqual({ requeued: 1, complete: true });
    await deleteRows(action_deliveries, eq(rule_id, rule.id));
  });

  it.each<[object, Record<string, string[]>]>([
    [{ status: "pending" }, { status: ["invalid"] }],
    [
      { since: "today", until: 5 },
      { since: ["invalid"], until: ["invalid"] },
    ],
    [
      { since: "2026-02-30T00:00:00Z", status: null },
      { since: ["invalid"], status: ["invalid"] },
    ],
  ])("rejects a requeue of a rule's deliveries with %j", async (body, field_errors) => {
    const { rule, code } = await setUp();
    expect(await code("POST", `/rules/${rule.id}/requeue`, body)).toEqual([400, "validation_failed", field_errors]);
  });
});
