import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { figure_hours, stats_marks } from "../../db/email/schema";
import { rollUpBefore } from "../../workers/email/operations/metrics/roll-up.store";
import { deliverNow } from "../support/email/deliver-now";
import { createCompany, rejectWith, startDelivery } from "../support/email/delivery";
import { createKey, magicLink, startEmail, storeSuppression } from "../support/email/email";
import { storeMessage } from "../support/email/messages";
import { readRows } from "../support/email/rows";
import { restoreAfterEach } from "../support/restore";

restoreAfterEach();

const email = await startEmail();

/** Returns the samples of a company's metrics scrape and of the scrape over all companies, by name and labels. */
async function scrape(company: number): Promise<Map<string, number>> {
  const owner = await email.token({ companyId: company, isOwner: true });
  const text = await (await email.call("/api/v1/metrics", { bearer: owner })).text();
  const samples = text.split("\n").filter((line) => line.startsWith("platform_email_"));
  const entries = samples.map((line) => line.replace(`company_id="${company}",`, "").split(" "));
  return new Map(entries.map(([name = "", value]) => [name.replace("platform_email_", ""), Number(value)]));
}

const hoursOf = (company: number) => readRows(figure_hours, eq(figure_hours.company_id, company));

it("reports each message's latency to the provider once, with equal values before and after a roll-up", async () => {
  const company = createCompany();
  const harness = startDelivery();
  // Starts after the time that other tests have rolled up.
  const [mark] = await readRows(stats_marks, undefined);
  harness.advance(Math.max(0, (mark?.counted_before ?? 0) - harness.now()) + 120_000);
  const send = async (age: number) => {
    const id = await storeMessage(company, { accepted_at: harness.now() - age });
    await deliverNow(harness.build(), [id], "auth");
  };
  for (let message = 0; message < 9; message++) await send(400);
  await send(45_000);
  const before = await scrape(company);
  expect(before.get('send_latency_seconds{lane="auth",quantile="0.5"}')).toBeGreaterThan(0.25);
  expect(before.get('send_latency_seconds{lane="auth",quantile="0.5"}')).toBeLessThanOrEqual(0.5);
  expect(before.get('send_latency_seconds{lane="auth",quantile="0.95"}')).toBeGreaterThan(30);
  expect(before.get('send_latency_seconds{lane="bulk",quantile="0.95"}')).toBe(0);
  expect(await hoursOf(company)).toEqual([]);
  const { platformDb: db } = harness.build();
  for (let run = 0; run < 2; run++) await rollUpBefore(db, harness.now() + 1000);
  expect((await hoursOf(company)).map(({ name, a, b, n }) => [name, a, b, n]).sort()).toEqual([
    ["send_latency", "auth", "500", 9],
    ["send_latency", "auth", "60000", 1],
  ]);
  expect(await scrape(company)).toEqual(before);
});

it("reports the latency of a message that was rolled up as queued before it was sent", async () => {
  const company = createCompany();
  const harness = startDelivery();
  const [mark] = await readRows(stats_marks, undefined);
  harness.advance(Math.max(0, (mark?.counted_before ?? 0) - harness.now()) + 120_000);
  const id = await storeMessage(company, { lane: "transactional", event_type: "identity.membership.enabled" });
  harness.advance(400_000);
  const { platformDb: db } = harness.build();
  await rollUpBefore(db, harness.now() - 300_000);
  expect(await hoursOf(company)).toEqual([]);
  await deliverNow(harness.build(), [id], "transactional");
  expect(await hoursOf(company)).toMatchObject([{ name: "send_latency", a: "transactional", b: "1800000", n: 1 }]);
});

it("counts provider errors by code, once for each attempt", async () => {
  const company = createCompany();
  const harness = startDelivery({ respond: rejectWith(500) });
  const id = await storeMessage(company);
  for (const wait of [2, 6]) {
    await deliverNow(harness.build(), [id], "auth");
    harness.advance(wait * 1000);
  }
  const samples = await scrape(company);
  expect(samples.get('provider_errors{error_code="provider_unavailable",provider="api"}')).toBe(2);
});

it("counts messages that limits reject, including single items of a batch", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const to = Array.from({ length: 6 }, (_, index) => ({ email: `a+${index}@example.com` }));
  const rejected = await email.call("/api/v1/send", { bearer: key, json: magicLink(company, { to }) });
  expect(rejected.status).toBe(429);
  const { to: _, variables, ...message } = magicLink(company);
  const json = { ...message, items: [...to, ...to].map((recipient) => ({ to: recipient, variables })) };
  expect((await email.call("/api/v1/send/batch", { bearer: key, json })).status).toBe(202);
  const samples = await scrape(company);
  expect(samples.get('rate_limited_total{limit="recipient_auth"}')).toBe(1 + 7);
  expect(samples.get('rate_limited_total{limit="company_auth"}')).toBe(0);
});

it("counts active suppressions by reason", async () => {
  const company = createCompany();
  await storeSuppression(company, "a@example.com", { reason: "manual" });
  await storeSuppression(company, "b@example.com", { reason: "hard_bounce" });
  const owner = await email.token({ companyId: company, isOwner: true });
  const { suppressions } = await (await email.call("/api/v1/suppressions", { bearer: owner })).json<{
    suppressions: { id: number; reason: string }[];
  }>();
  const manual = suppressions.find(({ reason }) => reason === "manual");
  expect((await scrape(company)).get('suppressions_total{reason="manual"}')).toBe(1);
  await email.call(`/api/v1/suppressions/${manual?.id}`, { method: "DELETE", bearer: owner });
  const samples = await scrape(company);
  expect(samples.get('suppressions_total{reason="manual"}')).toBe(0);
  expect(samples.get('suppressions_total{reason="hard_bounce"}')).toBe(1);
});
