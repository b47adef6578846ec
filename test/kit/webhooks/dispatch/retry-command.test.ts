import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { afterEach, expect, it, vi } from "vitest";
import { action_deliveries, delivery_attempts } from "../../../../db/kit/webhooks";
import worker from "../../../../workers/identity/worker";
import { clock } from "../../../../workers/kit/clock";
import { callIdentity, type identityEnv, json } from "../../../support/identity/identity";
import { changeCompany } from "../../../support/identity/rows";
import { createNetwork } from "../../../support/net/network";
import { eventType, setUpWebhooks, storeAttempt, storeDelivery } from "../../../support/webhooks/api";
import { countRows, deliveriesWhere } from "../../../support/webhooks/rows";

const systemNow = clock.now;
const DAY = 86_400_000;
afterEach(() => {
  clock.now = systemNow;
  vi.restoreAllMocks();
});

async function tick(env: ReturnType<typeof identityEnv>, cron: string): Promise<void> {
  const ctx = createExecutionContext();
  await worker.scheduled({ cron, scheduledTime: Date.now() } as ScheduledController, env, ctx);
  await waitOnExecutionContext(ctx);
}

it("retries a failed webhook of identity each minute, in a run that staff can inspect", async () => {
  const { env, company, staff, owner, call, createRule } = await setUpWebhooks();
  const network = createNetwork();
  const rule = await createRule({ url: `https://hooks.example.com/${crypto.randomUUID()}` });
  const { id, seq } = await storeDelivery({
    company_id: company.id,
    rule_id: rule.id,
    status: "failed",
    attempt_count: 1,
    due_at: clock.now() - 1,
  });
  await storeAttempt(seq);
  await tick(env, "* * * * *");
  const received = network.received.filter(({ url }) => url === rule.url);
  expect(received).toHaveLength(1);
  const runId = Number(/^sjr-(\d+)$/.exec(received[0]?.headers.get("x-request-id") ?? "")?.[1]);
  expect(received[0]?.headers.get("x-platform-delivery-attempt")).toBe("2");
  expect((await call("GET", `/deliveries/${id}`)).body).toMatchObject({ status: "delivered", attempt_count: 2 });
  const headers = { authorization: `Bearer ${staff.token}` };
  const run = await callIdentity(env, `/api/v1/scheduled-jobs/runs/${runId}`, { headers });
  const detail = (await run.json()) as { webhook_delivery_attempts: unknown[] };
  expect(detail).toMatchObject({ job: "retry_webhooks", trigger: "scheduler", status: "succeeded" });
  // The run claims the due deliveries of all companies.
  const attempt = { company_id: expect.any(Number), status: expect.any(String), trigger: "automatic_retry" };
  expect(detail.webhook_delivery_attempts[0]).toMatchObject(attempt);
  const query = `?scheduled_job_run_id=${runId}&company_id=${company.id}`;
  const touched = await call("GET", `/deliveries${query}`, undefined, staff.token);
  expect(touched.body.results).toMatchObject([
    { id, event_type: eventType, attempts: [{ trigger: "automatic_retry" }, {}] },
  ]);
  const asOwner = { headers: { authorization: `Bearer ${owner.token}` } };
  expect((await callIdentity(env, `/api/v1/scheduled-jobs/runs/${runId}`, asOwner)).status).toBe(403);
});

it("runs retries by command, and only counts due deliveries in a dry run", async () => {
  const { env, company, staff, call, createRule } = await setUpWebhooks();
  const network = createNetwork();
  const rule = await createRule();
  const due = { company_id: company.id, rule_id: rule.id, attempt_count: 1, due_at: clock.now() - 1 };
  const { id } = await storeDelivery({ ...due, status: "failed" });
  const run = async (flags: Record<string, unknown>) => {
    const headers = { authorization: `Bearer ${staff.token}` };
    const response = await callIdentity(env, "/api/v1/management/retry_webhooks", json({ flags }, headers));
    expect(response.status).toBe(200);
    const text = new TextDecoder().decode(await response.arrayBuffer());
    return JSON.parse(text.trim().split("\n").at(-1) ?? "") as { line: string };
  };
  expect((await run({ dry_run: true })).line).toMatch(/^retry_webhooks: would process=[1-9]\d*$/);
  expect(network.received).toEqual([]);
  expect((await run({})).line).toMatch(/^retry_webhooks: processed=\d+ delivered=\d+ retried=\d+ dead=\d+ run_id=\d+$/);
  expect((await call("GET", `/deliveries/${id}`)).body).toMatchObject({ status: "delivered" });
});

it("purges finished deliveries after the retention of their company, and never waiting ones", async () => {
  const { env, company, other, createRule } = await setUpWebhooks();
  createNetwork();
  const rule = await createRule();
  await changeCompany(other.id, { data_retention_days: 30 });
  const created_at = clock.now() - 10 * DAY;
  const store = (company_id: number, status: "dead" | "failed" | "delivered") =>
    storeDelivery({ company_id, rule_id: rule.id, status, created_at, due_at: clock.now() + DAY });
  const [old, waiting, recent] = [
    await store(company.id, "dead"),
    await store(company.id, "failed"),
    await store(other.id, "delivered"),
  ];
  await storeAttempt(old.seq);
  await tick(env, "17 * * * *");
  const remaining = await deliveriesWhere(eq(action_deliveries.created_at, created_at));
  expect(remaining.map(({ seq }) => seq)).toEqual([waiting.seq, recent.seq]);
  expect(await countRows(delivery_attempts, eq(delivery_attempts.delivery_seq, old.seq))).toBe(0);
});
