import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { complaint_breakers, event_log, lane_states, stats_days } from "../../../db/email/schema";
import { checkComplaints } from "../../../workers/email/delivery/bulk/complaints";
import { type EmailServices, services } from "../../../workers/email/services";
import { clock } from "../../../workers/kit/clock";
import { DAY_MS } from "../../../workers/kit/time";
import { repeatBatches } from "../../support/db/broken-db";
import { withDb } from "../../support/email/delivery";
import { createCompany, startEmail } from "../../support/email/email";
import { insertRow, pauseLane, readRows, updateRows } from "../../support/email/rows";

const email = await startEmail();
const staff = await email.token({ isStaff: true, companyId: null });

const dayOf = (daysAgo: number) => new Date(clock.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);

/** Stores the counts of a company's bulk mail of one day. */
async function count(company_id: number, counts: Partial<typeof stats_days.$inferInsert>, daysAgo = 0) {
  const event_type = `broadcast:${crypto.randomUUID()}`;
  await insertRow(stats_days, { company_id, day: dayOf(daysAgo), lane: "bulk", event_type, ...counts });
}

/** Creates a company with one day of bulk mail. */
async function startCompany(counts: Partial<typeof stats_days.$inferInsert>, daysAgo = 0): Promise<number> {
  const company = createCompany();
  await count(company, counts, daysAgo);
  return company;
}

const warnings: Record<string, unknown>[] = [];

function build(): EmailServices {
  const log: EmailServices["log"] = {
    info: () => {},
    note: () => {},
    error: () => {},
    warn: (message, fields) => void warnings.push({ message, ...fields }),
    with: () => log,
  };
  return services(email.bindings, { requestId: "r", log, waitUntil: () => undefined });
}

const check = (change: (services: EmailServices) => EmailServices = (all) => all) => checkComplaints(change(build()));
const pausesOf = async (company: number) =>
  (await readRows(lane_states, and(eq(lane_states.company_id, company), eq(lane_states.paused, true)))).map(
    ({ lane, scope, reason }) => [lane, scope, reason],
  );
const warningsOf = (company: number) => warnings.filter(({ company_id }) => company_id === company);
const noticesOf = (company: number) => email.pausedBulkNotices.filter(({ company_id }) => company_id === company);
const resume = (company: number) =>
  email.call(`/api/v1/lanes/bulk/resume?company_id=${company}`, { bearer: staff, method: "POST" });
const paused = [
  ["bulk", "company", "complaint_rate"],
  ["bulk", "platform", "complaint_rate"],
];

describe("complaints about bulk mail", () => {
  it.each([
    ["three of 1000 delivered", { sent: 1100, delivered: 1000, complained: 3 }, true],
    ["two of 1000 delivered", { sent: 1000, delivered: 1000, complained: 2 }, false],
    ["three of 1000 sent without reports of deliveries", { sent: 1000, complained: 3 }, true],
    ["two of 499", { sent: 499, delivered: 499, complained: 2 }, false],
  ])("pause the lane above 0.3 %%: %s", async (_title, counts, isPaused) => {
    const company = await startCompany(counts, 6);
    await check();
    expect(await pausesOf(company)).toEqual(isPaused ? paused : []);
  });

  it("older than seven days do not count", async () => {
    const company = await startCompany({ sent: 1000, delivered: 1000, complained: 9 }, 7);
    await check();
    expect(await pausesOf(company)).toEqual([]);
  });

  it("at 0.1 % are logged once a day", async () => {
    const company = await startCompany({ sent: 1000, delivered: 1000, complained: 1 });
    await check();
    await check();
    expect(warningsOf(company)).toEqual([{ message: "complaints about bulk mail", company_id: company, rate: 0.001 }]);
    await updateRows(
      complaint_breakers,
      { warned_at: clock.now() - DAY_MS },
      eq(complaint_breakers.company_id, company),
    );
    await check();
    expect(warningsOf(company)).toHaveLength(2);
  });

  it("notify the owners once, by an event and through identity, even when batches are repeated", async () => {
    const company = await startCompany({ sent: 2000, delivered: 1000, complained: 4 });
    await check((all) => withDb(all, repeatBatches(all.platformDb)));
    await check();
    expect(await pausesOf(company)).toEqual(paused);
    expect(noticesOf(company)).toEqual([
      { company_id: company, complaints: 4, sent: 2000, notice_at: expect.any(Number) },
    ]);
    const events = await readRows(event_log, eq(event_log.company_id, company));
    expect(events).toMatchObject([{ event_type: "email.lane.paused", subject_hmac: null }]);
    const owner = await email.token({ isOwner: true, companyId: company });
    const log = await email.call("/api/v1/actions/event-log", { bearer: owner });
    expect(await log.json()).toMatchObject({
      results: [
        { data: { lane: "bulk", reason: "complaint_rate", complaints: 4, sent: 2000, paused_at: expect.any(String) } },
      ],
    });
  });

  it("notify the owners later when identity does not respond", async () => {
    const company = await startCompany({ sent: 1000, complained: 5 });
    email.setIdentityAway(true);
    await check();
    expect(await pausesOf(company)).toEqual(paused);
    expect(noticesOf(company)).toEqual([]);
    email.setIdentityAway(false);
    await check();
    await check();
    expect(noticesOf(company)).toHaveLength(1);
  });

  it("do not replace a pause by staff", async () => {
    const company = await startCompany({ sent: 1000, complained: 5 });
    await pauseLane("bulk", company, "company");
    await check();
    expect(await pausesOf(company)).toEqual([["bulk", "company", ""]]);
    expect(noticesOf(company)).toEqual([]);
  });

  it("from before staff resumed the lane do not pause it again; new ones do", async () => {
    const company = await startCompany({ sent: 1000, delivered: 1000, complained: 5 }, 2);
    await count(company, { sent: 10, delivered: 10, complained: 1 });
    await check();
    expect(await pausesOf(company)).toEqual(paused);
    expect((await resume(company)).status).toBe(200);
    await check();
    expect(await pausesOf(company)).toEqual([]);
    // 499 mails after the resume are too few, and with 1000 mails two complaints are too few.
    await count(company, { sent: 499, delivered: 499, complained: 2 });
    await check();
    expect(await pausesOf(company)).toEqual([]);
    await count(company, { sent: 501, delivered: 501, complained: 1 });
    await check();
    expect(await pausesOf(company)).toEqual(paused);
    expect(noticesOf(company)).toHaveLength(2);
  });
});
