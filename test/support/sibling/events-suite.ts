import { asc, eq } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { action_deliveries } from "../../../db/kit/webhooks";
import { clock } from "../../../workers/kit/clock";
import { isolatedLocks } from "../jobs/jobs";
import { changeRule, readRows } from "../webhooks/rows";
import { consume, createQueueDouble, emitEvent } from "./events";
import type { Sibling } from "./sibling";
import { freshCompany, readError } from "./sibling";

type EventsSubject = {
  /** an event that is posted to the email service */
  sample: { type: string; data: Record<string, unknown> };
  /** event types allowed for new subscriptions, in order */
  offered: readonly string[];
  /** other event types of the service, which are not allowed */
  notOffered: readonly string[];
};

/** Checks events of a service, their delivery, and the subscriptions for them. */
export async function checkEvents(sibling: Sibling, { sample, offered, notOffered }: EventsSubject): Promise<void> {
  const { service, start } = sibling;
  const target = "https://hooks.example.com/x";
  const realNow = clock.now;

  afterEach(() => {
    clock.now = realNow;
    vi.restoreAllMocks();
  });

  /** Creates a company with an owner, a subscription to the sample, and doubles of queue and email service. */
  async function startCompany(vars: Record<string, unknown> = {}) {
    const wakeUps = createQueueDouble();
    const posts: { headers: Headers; body: string }[] = [];
    const emailResponses: Response[] = [];
    const EMAIL = {
      fetch: async (input: string, init: RequestInit) => {
        posts.push({ headers: new Headers(init.headers), body: await textOf(init) });
        expect(new URL(input).pathname).toBe("/api/v1/events");
        return emailResponses.shift() ?? Response.json({ messages: [] }, { status: 202 });
      },
    } as unknown as Fetcher;
    const worker = await start({
      vars: { WEBHOOKS_QUEUE: wakeUps.queue, EMAIL, ACTIONS_WEBHOOK_ALLOW_PRIVATE: "true", ...vars },
    });
    const companyId = freshCompany();
    // The user is unique, because mutations are limited per user.
    const owner = await worker.token({ companyId, isOwner: true, userId: companyId });
    const created = await worker.call("/api/v1/actions/rules", {
      bearer: owner,
      json: { name: "Deploy bot", event_type: `${service}.action_rule.failing`, url: target },
    });
    expect(created.status).toBe(201);
    const rule = (await created.json()) as { id: number; secret: string };
    // A stored subscription may have an event type that the API rejects for new ones.
    await changeRule(rule.id, { event_type: sample.type });
    const event = {
      id: crypto.randomUUID(),
      type: sample.type,
      companyId,
      data: { ...sample.data, api_key: "s3cret" } as Record<string, unknown>,
      userId: 7,
      email: "mina@example.com",
    };
    const deliveries = async () => {
      return readRows(action_deliveries, eq(action_deliveries.company_id, companyId), asc(action_deliveries.kind));
    };
    return { worker, companyId, owner, rule, event, wakeUps, posts, answers: emailResponses, deliveries };
  }

  /** Returns the body of a request as text. */
  const textOf = (init: RequestInit | undefined) => new Response(init?.body ?? null).text();

  /** Replaces fetch with these responses, in order, and records the requests. */
  function stubFetch(...responses: (Response | Error)[]) {
    const requests: { url: string; init: RequestInit }[] = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      requests.push({ url: String(input), init: init ?? {} });
      const response = responses.shift() ?? new Response("ok");
      if (response instanceof Error) throw response;
      return response;
    });
    return requests;
  }

  describe("an event of the service", () => {
    it("is delivered to the subscription immediately, and not to the email service without an API key", async () => {
      const { worker, event, wakeUps, deliveries, companyId } = await startCompany({ EMAIL_SERVICE_API_KEY: "" });
      await emitEvent(sibling, worker.bindings, event, "req-1");
      expect(wakeUps.sent).toEqual([
        { v: 1, kind: "first", company_id: companyId, ids: [expect.any(String)], request_id: "req-1" },
      ]);
      const requests = stubFetch();
      expect(await consume(sibling, worker.bindings, `webhooks-${service}`, wakeUps.sent)).toEqual({
        acked: 1,
        retried: 0,
      });
      expect(requests).toHaveLength(1);
      const headers = new Headers(requests[0]?.init.headers);
      expect(requests[0]?.url).toBe(target);
      expect(headers.get("user-agent")).toBe(`platform-${service}-webhooks/1.0`);
      expect(headers.get("x-platform-event")).toBe(sample.type);
      expect(headers.get("webhook-id")).toBe(event.id);
      const { api_key: _removed, ...data } = event.data;
      expect(JSON.parse(await textOf(requests[0]?.init))).toMatchObject({
        id: event.id,
        company: { id: companyId },
        data,
      });
      expect(await deliveries()).toMatchObject([{ kind: "webhook", status: "delivered", attempt_count: 1 }]);
    });

    it("is posted to the email service with the causing request id, and retried with the id of the job run", async () => {
      const company = await startCompany({
        EMAIL_SERVICE_API_KEY: `esk_${service}`,
        CONSOLE_URL: "https://app.example.com/admin",
      });
      const { worker, event, wakeUps, posts, answers, deliveries, companyId } = company;
      await emitEvent(sibling, worker.bindings, event, "req-2");
      answers.push(new Response("unavailable", { status: 500 }));
      stubFetch();
      await consume(sibling, worker.bindings, `webhooks-${service}`, wakeUps.sent);
      const { api_key: _removed, ...payload } = event.data;
      expect(JSON.parse(posts[0]?.body ?? "{}")).toEqual({
        service,
        event_type: sample.type,
        company_id: companyId,
        idempotency_key: event.id,
        payload: {
          ...payload,
          actor_name: "mina@example.com",
          occurred_at: expect.any(String),
          action_url: expect.stringMatching(/^https:\/\/app\.example\.com\/admin\/(?:apps|storage)\//),
        },
        recipients: [{ email: "mina@example.com", user_id: 7 }],
      });
      expect(posts[0]?.headers.get("authorization")).toBe(`Bearer esk_${service}`);
      expect(posts[0]?.headers.get("x-request-id")).toBe("req-2");
      const at = Date.now() + 31_000;
      clock.now = () => at;
      await worker.runCron("* * * * *", at);
      expect(posts).toHaveLength(2);
      expect(posts[1]?.body).toBe(posts[0]?.body);
      const requestId = posts[1]?.headers.get("x-request-id") ?? "";
      expect(requestId).toMatch(/^sjr-\d+$/);
      clock.now = realNow;
      const staff = await worker.token({ isStaff: true });
      const path = `/api/v1/scheduled-jobs/runs/${requestId.slice("sjr-".length)}`;
      const { email_events } = (await (await worker.call(path, { bearer: staff })).json()) as {
        email_events: { company_id: number }[];
      };
      expect(email_events.filter(({ company_id }) => company_id === companyId)).toEqual([
        {
          id: expect.any(String),
          company_id: companyId,
          event_type: sample.type,
          status: "delivered",
          attempt_count: 2,
          delivered_at: new Date(at).toISOString(),
        },
      ]);
      expect(await deliveries()).toMatchObject([
        { kind: "email", status: "delivered", attempt_count: 2 },
        { kind: "webhook", status: "delivered" },
      ]);
    });

    it("includes the id of its retry run for staff but not for the owner", async () => {
      const { worker, event, owner, companyId } = await startCompany();
      await emitEvent(sibling, worker.bindings, event, "req-3");
      const at = Date.now() + 31_000;
      clock.now = () => at;
      stubFetch();
      await worker.runCron("* * * * *", at);
      clock.now = realNow;
      const staff = await worker.token({ isStaff: true, companyId });
      type Page = { results: { id: string; attempts: { trigger: string; scheduled_job_run_id?: number }[] }[] };
      const list = async (bearer: string) =>
        (await (await worker.call("/api/v1/actions/deliveries", { bearer })).json()) as Page;
      const [companyRows, allRows] = [await list(owner), await list(staff)];
      expect(companyRows.results[0]?.attempts[0]?.trigger).toBe("automatic_retry");
      expect(companyRows.results[0]?.attempts[0]).not.toHaveProperty("scheduled_job_run_id");
      const run = allRows.results[0]?.attempts[0]?.scheduled_job_run_id;
      expect(run).toEqual(expect.any(Number));
      const path = `/api/v1/actions/deliveries?scheduled_job_run_id=${run}`;
      expect(await readError(await worker.call(path, { bearer: owner }))).toEqual([403, "forbidden"]);
      expect(await (await worker.call(path, { bearer: staff })).json()).toMatchObject({ count: 1 });
      const detail = await (await worker.call(`/api/v1/scheduled-jobs/runs/${run}`, { bearer: staff })).json();
      expect(detail).toMatchObject({ webhook_delivery_attempts_truncated: false, email_events_truncated: false });
      const { webhook_delivery_attempts: attempts } = detail as {
        webhook_delivery_attempts: Record<string, unknown>[];
      };
      expect(attempts.find(({ company_id }) => company_id === companyId)).toEqual({
        id: expect.any(Number),
        delivery_id: companyRows.results[0]?.id,
        company_id: companyId,
        event_type: sample.type,
        status: "success",
        http_status: 200,
        error_code: null,
        attempt_number: 1,
        duration_ms: expect.any(Number),
        trigger: "automatic_retry",
        created_at: expect.stringMatching(/Z$/),
      });
    });

    it("is left for a retry run when the queue delivers it to a deployment with invalid settings", async () => {
      const { worker, event, wakeUps, deliveries } = await startCompany();
      await emitEvent(sibling, worker.bindings, event, "req-4");
      const requests = stubFetch();
      const invalidBindings = { ...worker.bindings, DEBUG: "false", BROKER: undefined };
      expect(await consume(sibling, invalidBindings, `webhooks-${service}`, wakeUps.sent)).toEqual({
        acked: 0,
        retried: 1,
      });
      expect(requests).toEqual([]);
      expect(await deliveries()).toMatchObject([{ status: "pending", attempt_count: 0 }]);
    });
  });

  describe("webhook metrics of a company", () => {
    it("count deliveries, attempts and failing subscriptions, and contain no job run", async () => {
      const { worker, event, owner, companyId, wakeUps, rule } = await startCompany();
      const scrape = async () => {
        const text = await (await worker.call(`/${service}/v1/metrics`, { bearer: owner })).text();
        const lines = text.split("\n").filter((line) => line.startsWith(`platform_${service}_webhook_`));
        return Object.fromEntries(
          lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
        );
      };
      const name = (series: string, ...labels: string[]) =>
        `platform_${service}_webhook_${series}{${[`company_id="${companyId}"`, ...labels].sort().join(",")}}`;
      const attempts = (result: string, trigger: string) =>
        name("attempts_total", `result="${result}"`, `trigger="${trigger}"`);
      const empty = await scrape();
      expect(Object.keys(empty)).toHaveLength(9);
      expect(new Set(Object.values(empty))).toEqual(new Set([0]));
      await emitEvent(sibling, worker.bindings, event, "req-5");
      expect((await scrape())[name("deliveries", 'status="pending"')]).toBe(1);
      stubFetch(new Response("no", { status: 500 }));
      await consume(sibling, worker.bindings, `webhooks-${service}`, wakeUps.sent);
      const failed = await scrape();
      expect(failed[name("deliveries", 'status="failed"')]).toBe(1);
      expect(failed[attempts("failure", "dispatch")]).toBe(1);
      const later = Date.now() + 86_400_000 + 60_000;
      clock.now = () => later;
      await changeRule(rule.id, { failing_since: later - 86_400_001 });
      const bearer = await worker.token({ companyId, isOwner: true }, { exp: Math.floor(later / 1000) + 300 });
      const text = await (await worker.call(`/${service}/v1/metrics`, { bearer })).text();
      expect(text).toContain(`${name("rules_failing")} 1`);
      expect(text).toMatch(new RegExp(`webhook_oldest_due_seconds\\{company_id="${companyId}"\\} 86[34]\\d\\d`));
      expect(text).not.toContain("run_id");
    });
  });

  describe("the queue of retry helpers", () => {
    it("drops malformed messages, and ignores helper messages after their deadline", async () => {
      const { worker } = await startCompany();
      const past = { v: 1, kind: "drain", run_id: 1, fence: null, run_start: 1, deadline: 2 };
      const bodies = [{ v: 2 }, "nonsense", null, past];
      expect(await consume(sibling, worker.bindings, `${service}-service`, bodies)).toEqual({ acked: 4, retried: 0 });
    });
  });

  describe("webhook subscriptions of the service", () => {
    it("are accessible to staff and to owners of their company", async () => {
      const { worker, owner, rule, companyId } = await startCompany();
      const path = `/api/v1/actions/rules/${rule.id}`;
      const stranger = await worker.token({ companyId: companyId + 1_000_000, isOwner: true });
      const member = await worker.token({ companyId });
      const staff = await worker.token({ isStaff: true, companyId: 1 });
      expect(await readError(await worker.call(path))).toEqual([401, "unauthorized"]);
      expect(await readError(await worker.call(path, { bearer: member }))).toEqual([403, "forbidden"]);
      expect(await readError(await worker.call(path, { bearer: stranger }))).toEqual([404, "not_found"]);
      expect(await readError(await worker.call(`${path}?company_id=${companyId}`, { bearer: stranger }))).toEqual([
        403,
        "company_mismatch",
      ]);
      for (const bearer of [owner, staff]) expect((await worker.call(path, { bearer })).status).toBe(200);
      const readOnly = await worker.token({ companyId, isOwner: true, pat: { readOnly: true } });
      expect((await worker.call(path, { bearer: readOnly })).status).toBe(200);
      const response = await worker.call(path, { method: "DELETE", bearer: readOnly });
      expect(await readError(response)).toEqual([403, "pat_read_only"]);
    });

    it("may select events of the service, but not staff events", async () => {
      const { worker, owner } = await startCompany();
      for (const event_type of [
        `${service}.scheduled_job.failed`,
        ...notOffered,
        "identity.user.created",
        "nonsense",
      ]) {
        const json = { name: "x", event_type, url: target };
        const response = await worker.call("/api/v1/actions/rules", { bearer: owner, json });
        expect(await response.json()).toMatchObject({ field_errors: { event_type: ["unknown"] } });
      }
      const events = await (await worker.call("/api/v1/actions/events", { bearer: owner })).json();
      const { results } = events as { results: { type: string }[] };
      expect(results.map(({ type }) => type)).toEqual(offered);
    });

    it("are rate limited by API_MUTATION_RATE_LIMIT", async () => {
      const { worker, owner, rule } = await startCompany({ API_MUTATION_RATE_LIMIT: "1/min" });
      const response = await worker.call(`/api/v1/actions/rules/${rule.id}`, {
        method: "PATCH",
        bearer: owner,
        body: "{}",
        headers: { "content-type": "application/json" },
      });
      expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
      expect(await readError(response)).toEqual([429, "rate_limited"]);
    });
  });

  it("shows platform events only to staff", async () => {
    const { worker, owner, companyId } = await startCompany();
    await worker.runCron("17 * * * *");
    const staff = await worker.token({ isStaff: true, companyId });
    const path = `/api/v1/actions/event-log?scope=platform&event_type=${service}.scheduled_job.succeeded`;
    const rows = (await (await worker.call(path, { bearer: staff })).json()) as { results: { id: number }[] };
    expect(rows.results[0]).toMatchObject({ company_id: null, event_type: `${service}.scheduled_job.succeeded` });
    expect(await readError(await worker.call(path, { bearer: owner }))).toEqual([403, "forbidden"]);
    const eventPath = `/api/v1/actions/event-log/${rows.results[0]?.id}`;
    expect(await readError(await worker.call(eventPath, { bearer: owner }))).toEqual([404, "not_found"]);
    const ownerResponse = await worker.call("/api/v1/actions/event-log", { bearer: owner });
    expect(await ownerResponse.json()).toMatchObject({ count: 0, results: [] });
  });

  it("notifies owners of a failing subscription by an event, and through identity by email once it responds", async () => {
    const { worker, companyId, owner, rule } = await startCompany({ BROKER: await isolatedLocks() });
    stubFetch();
    await changeRule(rule.id, { health_reason: "gone" });
    const events = async () => {
      const response = await worker.call("/api/v1/actions/event-log", { bearer: owner });
      return ((await response.json()) as { results: { event_type: string; data: object }[] }).results;
    };
    const notices = () => worker.ruleNotices.filter(({ company_id }) => company_id === companyId);
    worker.setIdentityAway(true);
    await worker.runCron("* * * * *");
    expect(await events()).toMatchObject([
      { event_type: `${service}.action_rule.failing`, data: { rule_id: rule.id, health_reason: "gone" } },
    ]);
    worker.setIdentityAway(false);
    for (let minute = 0; minute < 2; minute++) await worker.runCron("* * * * *");
    expect(notices()).toMatchObject([
      { service, rule_id: rule.id, rule_name: "Deploy bot", rule_event_type: sample.type },
    ]);
    expect(await events()).toHaveLength(1);
  });
}
