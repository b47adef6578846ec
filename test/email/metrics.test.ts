import { eq, sql } from "drizzle-orm";
import parsePrometheusTextFormat from "parse-prometheus-text-format";
import { afterEach, describe, expect, it } from "vitest";
import { lane_states, message_totals, sender_breakers, stats_days } from "../../db/email/schema";
import { clock } from "../../workers/kit/clock";
import { deliverNow } from "../support/email/deliver-now";
import { createCompany, rejectWith, startDelivery } from "../support/email/delivery";
import { startEmail } from "../support/email/email";
import { deliveriesOf, storeRule } from "../support/email/events";
import { storeMessage } from "../support/email/messages";
import { db, deleteRows, insertRow, pauseLane, readRows } from "../support/email/rows";

const systemNow = clock.now;
afterEach(() => {
  clock.now = systemNow;
});

const path = "/api/v1/metrics";
const email = await startEmail();

async function scrape(bearer: string, query = ""): Promise<Map<string, string>> {
  const response = await email.call(path + query, { bearer });
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(parsePrometheusTextFormat(text).length).toBeGreaterThan(5);
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(samples.map((line) => line.split(" ") as [string, string]));
}

const statusOf = async (person: Parameters<typeof email.token>[0], query = "") => {
  const response = await email.call(path + query, { bearer: await email.token(person) });
  if (response.status === 200) return 200;
  return [response.status, (await response.json<{ error_code: string }>()).error_code];
};

describe("the metrics scrape", () => {
  it("is available to staff and global tokens for all companies, and to owners only for their own company", async () => {
    const company = createCompany();
    expect((await email.call(path)).status).toBe(401);
    expect((await email.call(path, { bearer: `esk_${"x".repeat(43)}` })).status).toBe(401);
    expect(await statusOf({ companyId: company })).toEqual([403, "forbidden"]);
    expect(await statusOf({ companyId: company, pat: {} })).toEqual([403, "forbidden"]);
    expect(await statusOf({ companyId: company, isOwner: true })).toBe(200);
    expect(await statusOf({ companyId: company, isOwner: true }, `?company_id=${company}`)).toBe(200);
    expect(await statusOf({ companyId: company, isOwner: true }, `?company_id=${company + 1_000_000_000}`)).toEqual([
      403,
      "company_mismatch",
    ]);
    expect(await statusOf({ companyId: company, isOwner: true }, "?company_id=x")).toEqual([400, "validation_failed"]);
    expect(await statusOf({ isStaff: true })).toBe(200);
    expect(await statusOf({ isStaff: true }, `?company_id=${company}`)).toBe(200);
    expect(await statusOf({ companyId: company, pat: { agm: true, readOnly: true } })).toBe(200);
  });

  it("counts a company's messages, queue and webhooks, but not those of other companies or jobs", async () => {
    const company = createCompany();
    const harness = startDelivery();
    await storeRule(company, "email.message.sent");
    const id = await storeMessage(company);
    await deliverNow(harness.build(), [id], "auth");
    const failing = startDelivery({ respond: rejectWith(422) });
    await deliverNow(failing.build(), [await storeMessage(company)], "auth");
    await storeMessage(company, { lane: "transactional", accepted_at: Date.now() - 90_000 });
    clock.now = systemNow;
    await pauseLane("bulk", company, "company");
    const samples = await scrape(await email.token({ companyId: company, isOwner: true }));
    const lane = (name: string, labels: string) =>
      samples.get(`platform_email_${name}{company_id="${company}",${labels}}`);
    expect(lane("messages_total", 'lane="auth",status="sent"')).toBe("1");
    expect(lane("messages_total", 'lane="auth",status="failed"')).toBe("1");
    expect(lane("messages_total", 'lane="bulk",status="sent"')).toBe("0");
    expect(lane("queue_depth", 'lane="transactional"')).toBe("1");
    expect(Number(lane("queue_oldest_age_seconds", 'lane="transactional"'))).toBeGreaterThanOrEqual(90);
    expect(lane("queue_depth", 'lane="auth"')).toBe("0");
    expect(lane("lane_paused", 'lane="bulk"')).toBe("1");
    expect(lane("lane_paused", 'lane="auth"')).toBe("0");
    expect(lane("webhook_deliveries", 'status="pending"')).toBe(String((await deliveriesOf(company)).length));
    const names = [...samples.keys()].join("\n");
    expect(names).not.toMatch(/scheduled_job|scheduler|sender_breaker/);
    for (const name of samples.keys()) expect(name).toContain(`company_id="${company}"`);
  });

  it("contains jobs, open breakers and paused lanes in the scrape over all companies", async () => {
    const company = createCompany();
    const staff = await email.token({ isStaff: true });
    const before = await scrape(staff);
    const name = 'platform_email_sender_breaker_open{lane="bulk",scope="company"}';
    const breaker = { scope: "company", company_id: company, failures: 5, opens: 1 } as const;
    await insertRow(sender_breakers, { ...breaker, lane: "bulk", open_until: Date.now() + 60_000 });
    await insertRow(sender_breakers, { ...breaker, lane: "transactional", open_until: Date.now() - 1 });
    await pauseLane("bulk", company, "company");
    const samples = await scrape(staff);
    expect(Number(samples.get(name))).toBe(Number(before.get(name)) + 1);
    expect(samples.get(`platform_email_lane_paused{company_id="${company}",lane="bulk"}`)).toBe("1");
    for (const job of ["retry_webhooks", "sweep_email_queue", "purge_expired_data"]) {
      expect(samples.has(`platform_email_scheduled_job_overdue{job="${job}"}`)).toBe(true);
    }
    expect(samples.get("platform_email_scheduler_enabled")).toBe("1");
    expect(samples.has("platform_email_webhook_oldest_due_seconds")).toBe(true);
    await deleteRows(sender_breakers, eq(sender_breakers.company_id, company));
    await deleteRows(lane_states, eq(lane_states.company_id, company));
  });

  it("divides the complaints about a company's bulk mail of the last 7 days by its deliveries", async () => {
    const [company, withoutComplaints, withoutDeliveries] = [createCompany(), createCompany(), createCompany()];
    const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
    const shared = { company_id: company, lane: "bulk", event_type: "news" };
    await insertRow(stats_days, { ...shared, day: day(1), sent: 900, delivered: 600, complained: 1 });
    await insertRow(stats_days, { ...shared, day: day(6), sent: 500, delivered: 400, complained: 2 });
    await insertRow(stats_days, { ...shared, day: day(8), sent: 500, delivered: 400, complained: 50 });
    await insertRow(stats_days, { ...shared, lane: "transactional", day: day(1), delivered: 10, complained: 10 });
    await insertRow(stats_days, { ...shared, company_id: withoutComplaints, day: day(1), delivered: 10 });
    // This company's provider reports no deliveries.
    await insertRow(stats_days, { ...shared, company_id: withoutDeliveries, day: day(1), sent: 1000, complained: 1 });
    const ratioOf = async (person: Parameters<typeof email.token>[0], of: number) =>
      (await scrape(await email.token(person))).get(`platform_email_complaint_ratio{company_id="${of}"}`);
    expect(await ratioOf({ companyId: company, isOwner: true }, company)).toBe("0.003");
    expect(await ratioOf({ companyId: withoutComplaints, isOwner: true }, withoutComplaints)).toBe("0");
    expect(await ratioOf({ isStaff: true }, company)).toBe("0.003");
    expect(await ratioOf({ isStaff: true }, withoutDeliveries)).toBe("0.001");
    expect(await ratioOf({ isStaff: true }, withoutComplaints)).toBeUndefined();
  });

  it("makes one round trip with eight statements", async () => {
    const instance = await startEmail();
    const response = await instance.call(path, { bearer: await instance.token({ isStaff: true }) });
    expect([instance.acceptTripsOf(response), instance.largestBatch()]).toEqual([1, 8]);
  });
});

it("adds roll-ups to the totals, and keeps the totals when roll-ups are deleted", async () => {
  const company = createCompany();
  const { company_id, day, lane, event_type } = stats_days;
  const row = { company_id: company, day: "2020-01-01", lane: "bulk", event_type: "x", queued: 1 };
  const add = async (sent: number) =>
    db
      .insert(stats_days)
      .values({ ...row, sent })
      .onConflictDoUpdate({
        target: [company_id, day, lane, event_type],
        set: { sent: sql`${stats_days.sent} + ${sent}` },
      });
  await add(3);
  await add(4);
  await deleteRows(stats_days, eq(company_id, company));
  expect(await readRows(message_totals, eq(message_totals.company_id, company))).toMatchObject([{ sent: 7 }]);
});
