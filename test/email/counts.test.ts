import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { messages, stats_days, stats_marks } from "../../db/email/schema";
import { rollUpCounts } from "../../workers/email/operations/metrics/roll-up";
import { rollUpBefore } from "../../workers/email/operations/metrics/roll-up.store";
import { clock } from "../../workers/kit/clock";
import { HOUR_MS, MINUTE_MS } from "../../workers/kit/time";
import { repeatBatches } from "../support/db/broken-db";
import { meterDatabase } from "../support/db/metered-database";
import { deliverNow } from "../support/email/deliver-now";
import { createCompany, type Harness, startDelivery } from "../support/email/delivery";
import { createKey, magicLink, startEmail, testEnv } from "../support/email/email";
import { countsOf, storeMessage } from "../support/email/messages";
import { db, readRows, updateRows } from "../support/email/rows";

const systemNow = clock.now;
// Moving the mark to the current time makes the messages of earlier tests count as rolled up.
beforeEach(() => updateRows(stats_marks, { counted_before: systemNow() }, eq(stats_marks.id, 1)));
afterEach(() => {
  clock.now = systemNow;
});

const email = await startEmail();

/** Returns the rolled-up counts of a company that are not 0. */
async function rollUps(companyId: number): Promise<Record<string, number>> {
  const days = await readRows(stats_days, eq(stats_days.company_id, companyId));
  const counts = days.map(({ queued, sent, failed, cancelled }) => ({ queued, sent, failed, cancelled }));
  const sum = counts.reduce(
    (a, b) => Object.fromEntries(Object.entries(a).map(([k, n]) => [k, n + b[k as "sent"]])) as never,
    {
      queued: 0,
      sent: 0,
      failed: 0,
      cancelled: 0,
    },
  );
  return Object.fromEntries(Object.entries(sum).filter(([, count]) => count !== 0));
}

/** Returns the totals of the auth lane in a company's metrics scrape. */
async function scraped(companyId: number): Promise<Record<string, number>> {
  const bearer = await email.token({ companyId, isOwner: true });
  const text = await (await email.call("/api/v1/metrics", { bearer })).text();
  const samples = text.matchAll(/messages_total\{company_id="\d+",lane="auth",status="(\w+)"\} (\d+)/g);
  return Object.fromEntries([...samples].flatMap(([, key, count]) => (count === "0" ? [] : [[key, Number(count)]])));
}

const rollUpAll = (harness: Harness) => rollUpBefore(harness.build().platformDb, harness.now() + 1000);

describe("message counts", () => {
  it("counts each message once before, between and after roll-ups", async () => {
    const harness = startDelivery();
    const company = createCompany();
    const firstMessages = [await storeMessage(company), await storeMessage(company)];
    await deliverNow(harness.build(), firstMessages.slice(0, 1), "auth");
    expect([await rollUps(company), await scraped(company)]).toEqual([{}, { sent: 1 }]);
    await rollUpAll(harness);
    await rollUpAll(harness);
    expect([await rollUps(company), await scraped(company)]).toEqual([{ queued: 1, sent: 1 }, { sent: 1 }]);
    // The roll-up counted this message as queued, so its own delivery updates the count.
    await deliverNow(harness.build(), firstMessages.slice(1), "auth");
    expect([await rollUps(company), await scraped(company)]).toEqual([{ sent: 2 }, { sent: 2 }]);
    harness.advance(2000);
    const lateMessage = await storeMessage(company);
    await deliverNow(harness.build(), [lateMessage], "auth");
    expect([await rollUps(company), await scraped(company)]).toEqual([{ sent: 2 }, { sent: 3 }]);
    await rollUpAll(harness);
    expect([await rollUps(company), await scraped(company)]).toEqual([{ sent: 3 }, { sent: 3 }]);
  });

  it("counts each message once when roll-ups, deliveries and cancellations run concurrently and are repeated", async () => {
    const harness = startDelivery();
    const company = createCompany();
    const ids = await Promise.all(Array.from({ length: 12 }, () => storeMessage(company)));
    const owner = await email.token({ companyId: company, isOwner: true });
    const cancel = (id: string) => email.call(`/api/v1/messages/${id}/cancel`, { bearer: owner, method: "POST" });
    const twice = repeatBatches(harness.build().platformDb);
    await Promise.all([
      ...ids.slice(0, 6).map((id) => deliverNow(harness.build(), [id], "auth")),
      ...ids.slice(6).map(cancel),
      ...[0, 1, 2].map((second) => rollUpBefore(twice, harness.now() + second * 500)),
    ]);
    expect(await countsOf(company)).toEqual({ sent: 6, cancelled: 6 });
    await rollUpBefore(twice, harness.now() + 2000);
    expect(await rollUps(company)).toEqual({ sent: 6, cancelled: 6 });
    expect(await scraped(company)).toEqual({ sent: 6, cancelled: 6 });
  });

  it("counts a message whose batch commits after the roll-up of its time", async () => {
    await updateRows(stats_marks, { counted_before: systemNow() + HOUR_MS }, eq(stats_marks.id, 1));
    const company = createCompany();
    const { key } = await createKey();
    const response = await email.call("/api/v1/send", { bearer: key, json: magicLink(company) });
    expect(response.status).toBe(202);
    const counts = await rollUps(company);
    expect(Object.values(counts)).toEqual([1]);
    expect(await countsOf(company)).toEqual(counts);
  });
});

describe("the roll-up that runs each minute", () => {
  const markOf = async () => (await readRows(stats_marks, undefined))[0]?.counted_before ?? 0;

  it("waits until a message is an hour and five minutes old", async () => {
    const harness = startDelivery();
    const company = createCompany();
    await storeMessage(company, { status: "sent" });
    const before = await markOf();
    harness.advance(HOUR_MS + 5 * MINUTE_MS - 1000);
    await rollUpCounts(harness.build());
    expect(await markOf()).toBe(before);
    harness.advance(2000);
    await rollUpCounts(harness.build());
    expect(await markOf()).toBe(harness.now() - 5 * MINUTE_MS);
    expect(await rollUps(company)).toEqual({ sent: 1 });
  });

  it("runs immediately when a scrape would count thousands of messages, but skips those of the last five minutes", async () => {
    const harness = startDelivery();
    const companies = Array.from({ length: 20 }, createCompany);
    const [company = 0] = companies;
    const [row] = await readRows(messages, eq(messages.id, await storeMessage(company, { status: "sent" })));
    if (row === undefined) throw new Error("no row");
    const replacedColumns = ["id", "company_id", "accepted_at"];
    const columns = Object.keys(row).filter((column) => !replacedColumns.includes(column));
    const names = sql.join(
      columns.map((column) => sql.identifier(column)),
      sql`, `,
    );
    const storeCopies = (from: number, size: number) =>
      db.run(sql`insert into ${messages} (id, company_id, accepted_at, ${names})
        with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < ${size})
        select printf('%012x', ${from} + i / 8) || substr(${row.id}, 13, 12) || printf('%08x', i), ${company} + i % ${companies.length}, ${from} + i / 8,
          ${names}
        from n cross join ${messages} where id = ${row.id}`);
    const sent = async () => Promise.all(companies.map(async (id) => (await rollUps(id)).sent ?? 0));
    await storeCopies(harness.now() + 1, 4900);
    harness.advance(10 * MINUTE_MS);
    await rollUpCounts(harness.build());
    expect(await sent()).toEqual(companies.map(() => 0));
    await storeCopies(harness.now() - 6 * MINUTE_MS, 99);
    await storeCopies(harness.now() - MINUTE_MS, 1);
    await rollUpCounts(harness.build());
    expect((await sent()).reduce((sum, count) => sum + count)).toBe(5000);
    clock.now = systemNow;
    const all = await Promise.all(companies.map(async (id) => (await scraped(id)).sent ?? 0));
    expect(all.reduce((sum, count) => sum + count)).toBe(5001);
  });

  it("reads few rows for the scrape of a small company, and counts only its messages", async () => {
    const [large, small] = [createCompany(), createCompany()];
    await Promise.all(Array.from({ length: 60 }, () => storeMessage(large, { status: "sent" })));
    await storeMessage(small, { status: "sent" });
    const metered = meterDatabase(testEnv.DB);
    const bearer = await email.token({ companyId: small, isOwner: true });
    const response = await email.call("/api/v1/metrics", { bearer, bindings: { DB: metered.db } });
    expect(await response.text()).toContain(`messages_total{company_id="${small}",lane="auth",status="sent"} 1`);
    expect(metered.takeStatements().reduce((sum, { read }) => sum + read, 0)).toBeLessThan(30);
  });
});
