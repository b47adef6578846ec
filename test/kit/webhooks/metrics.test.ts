import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { action_counters, action_hosts } from "../../../db/kit/webhooks";
import { clock } from "../../../workers/kit/clock";
import { callIdentity } from "../../support/identity/identity";
import { createNetwork } from "../../support/net/network";
import { setUpWebhooks, storeDelivery } from "../../support/webhooks/api";
import { changeRule, db, insertRow, insertRows } from "../../support/webhooks/rows";

const silent = (host: string, consecutive_failures: number) => ({ host, consecutive_failures, last_failure_at: 1 });

const systemNow = clock.now;
beforeEach(() => {
  createNetwork();
});
afterEach(() => {
  clock.now = systemNow;
  vi.restoreAllMocks();
});

async function setUp() {
  const set = await setUpWebhooks();
  const scrape = async (path: string, token: string) => {
    const response = await callIdentity(set.env, `/api/v1/metrics${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(200);
    const lines = (await response.text())
      .split("\n")
      .filter((line) => line.includes("_webhook_") && !line.startsWith("#"));
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
    );
  };
  return { ...set, scrape };
}

const name = (series: string, labels: string) => `platform_auth_webhook_${series}{${labels}}`;

it("metrics contain a company's waiting deliveries, attempts, failing rules and limited hosts from the first scrape on", async () => {
  const { company, other, owner, createRule, scrape } = await setUp();
  const id = `company_id="${company.id}"`;
  const empty = {
    [name("deliveries", `${id},status="failed"`)]: 0,
    [name("deliveries", `${id},status="pending"`)]: 0,
    [name("oldest_due_seconds", id)]: 0,
    [name("attempts_total", `${id},result="failure",trigger="automatic_retry"`)]: 0,
    [name("attempts_total", `${id},result="failure",trigger="dispatch"`)]: 0,
    [name("attempts_total", `${id},result="success",trigger="automatic_retry"`)]: 0,
    [name("attempts_total", `${id},result="success",trigger="dispatch"`)]: 0,
    [name("rules_failing", id)]: 0,
    [name("hosts_limited", id)]: 0,
  };
  expect(await scrape("", owner.token)).toEqual(empty);
  const now = systemNow();
  clock.now = () => now;
  const host = `h${company.id}.example.com`;
  const rule = await createRule({ url: `https://${host}/` });
  const paused = await createRule({ enabled: false });
  const at = { company_id: company.id, rule_id: rule.id };
  await storeDelivery({ ...at, status: "pending", due_at: now - 90_500 });
  await storeDelivery({ ...at, status: "failed", due_at: now + 60_000 });
  await storeDelivery({ ...at, status: "dead", due_at: now - 900_000 });
  await storeDelivery({ ...at, rule_id: paused.id, due_at: now - 900_000 });
  await storeDelivery({ ...at, kind: "email", rule_id: -company.id, due_at: now - 900_000 });
  await storeDelivery({ ...at, company_id: other.id, rule_id: 0 });
  const day = 86_400_000;
  await changeRule(rule.id, { failing_since: now - day });
  await changeRule(paused.id, { failing_since: now - day + 1 });
  await insertRows(action_hosts, [silent(host, 10), silent(`x${host}`, 9), silent(`y${host}`, 10)]);
  await insertRows(action_counters, [
    { company_id: company.id, name: "webhook_attempts.success.dispatch", value: 7 },
    { company_id: company.id, name: "webhook_attempts.failure.automatic_retry", value: 3 },
  ]);
  expect(await scrape("", owner.token)).toEqual({
    ...empty,
    [name("deliveries", `${id},status="failed"`)]: 1,
    [name("deliveries", `${id},status="pending"`)]: 2,
    [name("oldest_due_seconds", id)]: 90,
    [name("attempts_total", `${id},result="failure",trigger="automatic_retry"`)]: 3,
    [name("attempts_total", `${id},result="success",trigger="dispatch"`)]: 7,
    [name("rules_failing", id)]: 1,
    [name("hosts_limited", id)]: 1,
  });
  await changeRule(paused.id, { failing_since: null, health_reason: "secret_unavailable" });
  expect((await scrape("", owner.token))[name("rules_failing", id)]).toBe(2);
});

it("metrics contain sums over all companies, without company labels", async () => {
  const { company, staff, createRule, scrape } = await setUp();
  const all = (samples: Record<string, number>, series: string) =>
    samples[`platform_auth_webhook_${series}`] ?? Number.NaN;
  const before = await scrape("/all", staff.token);
  expect(Object.keys(before)).toHaveLength(9);
  expect(JSON.stringify(before)).not.toContain("company_id");
  const rule = await createRule();
  await storeDelivery({ company_id: company.id, rule_id: rule.id, status: "failed", due_at: 1 });
  await storeDelivery({ company_id: company.id, rule_id: -company.id, kind: "email" });
  await changeRule(rule.id, { health_reason: "gone", failing_since: 1 });
  await insertRow(action_hosts, silent(crypto.randomUUID(), 12));
  await db
    .insert(action_counters)
    .values({ company_id: 0, name: "webhook_attempts.success.dispatch", value: 4 })
    .onConflictDoUpdate({
      target: [action_counters.company_id, action_counters.name],
      set: { value: sql`${action_counters.value} + 4` },
    });
  const now = systemNow();
  clock.now = () => now;
  const after = await scrape("/all", staff.token);
  const grown = (series: string) => all(after, series) - all(before, series);
  expect(grown('deliveries{status="failed"}')).toBe(1);
  expect(grown('deliveries{status="pending"}')).toBe(0);
  expect(grown("rules_failing")).toBe(1);
  expect(grown("hosts_limited")).toBe(1);
  expect(grown('attempts_total{result="success",trigger="dispatch"}')).toBe(4);
  expect(all(after, "oldest_due_seconds")).toBe(Math.floor((now - 1) / 1000));
});
