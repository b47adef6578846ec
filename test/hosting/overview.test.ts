import { createExecutionContext } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { scheduled_job_states } from "../../db/kit/jobs";
import { action_deliveries } from "../../db/kit/webhooks";
import { HostingRpc } from "../../workers/hosting/rpc";
import { startHosting } from "../support/hosting/hosting";
import { storeAccess, storeApp, storeDeployment, storeDomain } from "../support/hosting/rows";
import { countsOf, entryOf, type Overview, reportOf, storeDeadDelivery, storeFailingRule } from "../support/overview";
import { freshCompany, readError } from "../support/sibling/sibling";
import { insertEvent, insertNumbered, insertRule, updateRows } from "../support/webhooks/rows";

const DAY_MS = 86_400_000;
const hosting = await startHosting();

type User = Parameters<typeof hosting.token>[0];

/** Returns an overview; reads it in one round trip. */
async function overviewOf(user: User, query = ""): Promise<Overview> {
  const bearer = await hosting.token(user);
  const before = hosting.roundTrips();
  const response = await hosting.call(`/api/v1/overview${query}`, { bearer });
  expect(response.status, query).toBe(200);
  expect(hosting.roundTrips() - before).toBe(1);
  return response.json();
}

/** Returns the number of results of the call that an entry names. */
async function listedBy(user: User, list: { path: string } | null): Promise<number> {
  const response = await hosting.call(list?.path ?? "", { bearer: await hosting.token(user) });
  expect(response.status, list?.path).toBe(200);
  return (await response.json<{ count: number }>()).count;
}

/** Creates a company with a failing webhook, two dead deliveries of the last day, an older one, and an old event. */
async function createTroubledCompany() {
  const companyId = freshCompany();
  const rule = await storeFailingRule(companyId);
  await insertRule({ company_id: companyId, name: "Healthy", failing_since: Date.now() });
  for (const age of [0, 3_600_000, 2 * DAY_MS]) await storeDeadDelivery(companyId, rule, Date.now() - age);
  await insertEvent({
    company_id: companyId,
    event_type: "hosting.quota.changed",
    created_at: Date.now() - 9 * DAY_MS,
  });
  return { companyId, rule, user: { companyId, isOwner: true } };
}

it("counts what needs attention in the company of the owner, with a call that lists it", async () => {
  const { companyId, user } = await createTroubledCompany();
  await createTroubledCompany();
  const overview = await overviewOf(user);
  expect(overview.company_id).toBe(companyId);
  expect(countsOf(overview)).toEqual({ webhooks_failing: 1, deliveries_dead: 2, stale_events: 1 });
  expect(overview.entries.map(({ code }) => code)).toEqual([
    "webhooks_failing",
    "deliveries_dead",
    "stale_events",
    "access_requests_pending",
    "deployments_failed",
    "previews_expiring",
    "domains_failed",
  ]);
  for (const code of ["webhooks_failing", "deliveries_dead"]) {
    const { count, list } = entryOf(overview, code);
    expect(await listedBy(user, list), code).toBe(count);
  }
  expect(await listedBy(user, { path: "/api/v1/actions/rules?is_failing=false" })).toBe(1);
  const { list, since } = entryOf(overview, "deliveries_dead");
  expect(list?.path).toBe(
    `/api/v1/actions/deliveries?company_id=${companyId}&status=dead&created_after=${encodeURIComponent(since ?? "")}`,
  );
  const retention = await hosting.call(entryOf(overview, "stale_events").list?.path ?? "", {
    bearer: await hosting.token(user),
  });
  expect(await retention.json()).toMatchObject({ stale_events: true });
});

it("counts access requests, failed deployments, expiring previews and domains without proof", async () => {
  const [companyId, other] = [freshCompany(), freshCompany()];
  const now = Date.now();
  await storeAccess(companyId, "pending");
  await storeAccess(other, "approved");
  const app = await storeApp({ company_id: companyId, expires_at: now + DAY_MS / 2 });
  await storeApp({ company_id: companyId, expires_at: now + 2 * DAY_MS });
  await storeApp({ company_id: companyId, expires_at: now - 1 });
  await storeDeployment(app, { status: "failed" });
  await storeDeployment(app, { status: "failed", updated_at: now - 2 * DAY_MS });
  await storeDeployment(app, { status: "active" });
  const host = (name: string) => `${name}.${crypto.randomUUID()}.example`;
  await storeDomain(app, { hostname: host("a"), state: "failed" });
  await storeDomain(app, { hostname: host("b"), state: "verified", unproven_since: now });
  await storeDomain(app, { hostname: host("c"), state: "verified" });
  await storeDomain(app, { hostname: host("d"), unproven_since: now });
  const expected = { access_requests_pending: 1, deployments_failed: 1, previews_expiring: 1, domains_failed: 2 };
  expect(countsOf(await overviewOf({ companyId, isOwner: true }))).toEqual(expected);
  expect(countsOf(await overviewOf({ companyId: other, isOwner: true }))).toEqual({});
  const all = await overviewOf({ companyId, isStaff: true }, "?all=true");
  for (const [code, count] of Object.entries(expected)) {
    expect(entryOf(all, code).companies, code).toContainEqual(
      expect.objectContaining({ company_id: companyId, count }),
    );
  }
});

it("shows every entry with the count 0 for a company without trouble", async () => {
  const companyId = freshCompany();
  await insertRule({ company_id: companyId });
  await insertEvent({ company_id: companyId, event_type: "hosting.quota.changed", created_at: Date.now() });
  const { entries } = await overviewOf({ companyId, isOwner: true });
  expect(entries.map(({ count, is_capped }) => [count, is_capped])).toEqual(entries.map(() => [0, false]));
});

it("counts one company or all companies for staff, with the companies that have most", async () => {
  const { companyId, rule } = await createTroubledCompany();
  for (let at = 0; at < 3; at += 1) await storeDeadDelivery(companyId, rule);
  const staff = { companyId: freshCompany(), isStaff: true };
  expect(countsOf(await overviewOf(staff, `?company_id=${companyId}`))).toMatchObject({ deliveries_dead: 5 });
  expect(countsOf(await overviewOf(staff))).toEqual({});

  await updateRows(
    scheduled_job_states,
    { last_failure_at: Date.now(), last_success_at: Date.now() - 1 },
    eq(scheduled_job_states.job, "retry_webhooks"),
  );
  const all = await overviewOf(staff, "?all=true");
  expect(all.company_id).toBe(null);
  const dead = entryOf(all, "deliveries_dead");
  expect(dead).toMatchObject({ is_capped: false, list: null });
  expect(dead.companies?.[0]).toMatchObject({ company_id: companyId, count: 5 });
  expect(await listedBy(staff, dead.companies?.[0]?.list ?? null)).toBe(5);
  expect(dead.count).toBe(dead.companies?.reduce((sum, { count }) => sum + count, 0));
  expect(entryOf(all, "stale_events").companies?.map(({ company_id }) => company_id)).toContain(companyId);
  expect(entryOf(all, "jobs_failing")).toMatchObject({ companies: [], list: { path: "/api/v1/scheduled-jobs" } });
  expect(entryOf(all, "jobs_failing").count).toBeGreaterThanOrEqual(1);
});

it("counts at most 1,000 rows per entry", async () => {
  const companyId = freshCompany();
  const rule = await insertRule({ company_id: companyId });
  const now = Date.now();
  await insertNumbered(action_deliveries, 1200, (i) => ({
    kind: "webhook" as const,
    status: "dead" as const,
    body: "{}",
    rule_name: "Hook",
    host: "hooks.example.com",
    company_id: companyId,
    rule_id: rule,
    event_type: "identity.user.created",
    id: i,
    event_id: i,
    due_at: now,
    created_at: now,
    updated_at: now,
  }));
  const overview = await overviewOf({ companyId, isOwner: true });
  expect(entryOf(overview, "deliveries_dead")).toMatchObject({ count: 1000, is_capped: true });
  expect(entryOf(overview, "webhooks_failing")).toMatchObject({ count: 0, is_capped: false });
});

it("rejects members, owners who ask for other or all companies, and a company next to all=true", async () => {
  const companyId = freshCompany();
  const errorOf = async (user: User, query: string) =>
    readError(await hosting.call(`/api/v1/overview${query}`, { bearer: await hosting.token(user) }));
  const owner = { companyId, isOwner: true };
  expect(await errorOf({ companyId }, "")).toEqual([403, "forbidden"]);
  expect(await errorOf(owner, "?all=true")).toEqual([403, "forbidden"]);
  expect(await errorOf(owner, `?company_id=${companyId + 1}`)).toEqual([403, "company_mismatch"]);
  const staff = { companyId, isStaff: true };
  expect(await errorOf(staff, `?all=true&company_id=${companyId}`)).toEqual([400, "validation_failed"]);
  expect(await errorOf(staff, "?all=yes")).toEqual([400, "validation_failed"]);
});

it("reports the counts of all companies and the health of the jobs to the job watch, in one round trip", async () => {
  await createTroubledCompany();
  const staff = { companyId: freshCompany(), isStaff: true };
  const overview = await overviewOf(staff, "?all=true");
  const response = await hosting.call("/api/v1/scheduled-jobs", { bearer: await hosting.token(staff) });
  const before = hosting.roundTrips();
  const report = await new HostingRpc(createExecutionContext(), hosting.bindings).operationsReport();
  expect(hosting.roundTrips() - before).toBe(1);
  expect(report).toEqual(reportOf(overview, await response.json()));
  expect(report.entries.find(({ code }) => code === "webhooks_failing")?.count).toBeGreaterThanOrEqual(1);
  expect(report.jobs.map(({ job }) => job)).toEqual(["retry_webhooks", "purge_expired_data"]);
});
