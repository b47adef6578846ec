import { eq, getTableColumns, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import type { MessageRow } from "../../../db/email/rows";
import { decisions, messages, skip_days, stats_days, stats_marks } from "../../../db/email/schema";
import { LANES } from "../../../schemas/email/delivery/lanes";
import type { Stats } from "../../../schemas/email/delivery/stats";
import { rollUpCounts } from "../../../workers/email/operations/metrics/roll-up";
import { rollUpBefore } from "../../../workers/email/operations/metrics/roll-up.store";
import { clock } from "../../../workers/kit/clock";
import { openDb } from "../../../workers/kit/db/db";
import { type InsertValues, insertSelect } from "../../../workers/kit/db/query";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../workers/kit/time";
import { loseAnswer } from "../../support/db/lost-answer";
import { insertNumbered } from "../../support/db/numbered-rows";
import { storeProvider } from "../../support/email/delivery";
import { createCompany, startEmail, storeSuppression, testEnv } from "../../support/email/email";
import { idAt, storeMessage } from "../../support/email/messages";
import { eventsOfADay, storeMonth } from "../../support/email/month";
import { db, deleteRows, insertRow, readRows, updateRows } from "../../support/email/rows";
import { DEPLOYED, startEvents, startForAll } from "../../support/email/rules";
import { rowsReadBy } from "../../support/http/read-rows";

const email = await startEmail();
const day = (time: number) => new Date(time).toISOString().slice(0, 10);
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;

// Moves the roll-up mark back, so that only the roll-ups of the test itself count.
beforeEach(() => updateRows(stats_marks, { counted_before: today - 40 * DAY_MS }, eq(stats_marks.id, 1)));

const rollUpAll = () => rollUpBefore(openDb(testEnv.DB), Date.now() + 1000);

async function statsOf(companyId: number, query = ""): Promise<Stats> {
  const owner = await email.token({ companyId, isOwner: true });
  const response = await email.call(`/api/v1/stats?${query}`, { bearer: owner });
  expect(response.status, query).toBe(200);
  return response.json<Stats>();
}

/** Returns the counts that are not 0. */
const nonZero = (counts: Record<string, unknown> | undefined) =>
  Object.fromEntries(Object.entries(counts ?? {}).filter(([, value]) => value !== 0));

/** Stores a message in this state, accepted at `at` (ms since the epoch). */
const store = (companyId: number, at: number, row: Partial<MessageRow>) => {
  const wasSent = ["sent", "delivered", "delivery_delayed", "bounced", "complained"].includes(row.status ?? "");
  return storeMessage(companyId, { accepted_at: at, ...(wasSent ? { sent_at: at + 1000 } : {}), ...row });
};

describe("statistics of a company", () => {
  it("count each message once by day, lane and event, before and after a roll-up", async () => {
    const company = createCompany();
    const yesterday = today - DAY_MS + HOUR_MS;
    await store(company, yesterday, { status: "delivered" });
    await store(company, yesterday, { status: "bounced" });
    await store(company, yesterday, { status: "delivery_delayed", lane: "transactional" });
    await store(company, yesterday, { status: "failed", sent_at: yesterday + 5 });
    await store(company, yesterday, { status: "failed" });
    await store(company, yesterday + HOUR_MS, { status: "expired" });
    await store(createCompany(), yesterday, { status: "sent" });
    const rows = { sent: 4, delivered: 1, bounced: 1, failed: 2, expired: 1 };
    const before = await statsOf(company);
    expect(nonZero(before.totals)).toEqual(rows);
    expect(before.by_lane).toMatchObject({ auth: { sent: 3 }, transactional: { sent: 1, delivered: 0 } });
    expect(Object.keys(before.by_event)).toEqual([
      "identity.auth.magic_link.requested",
      "identity.user.invitation_revoked",
    ]);
    expect(before.by_day.map((entry) => nonZero(entry))).toEqual([{ day: day(yesterday), ...rows }]);
    await rollUpAll();
    const { to: _, ...after } = await statsOf(company);
    expect(before).toMatchObject(after);
    await store(company, Date.now(), { status: "queued" });
    expect(nonZero((await statsOf(company)).totals)).toEqual({ ...rows, queued: 1 });
  });

  it("are filtered by days, times, lanes and events", async () => {
    const company = createCompany();
    const noon = today - 3 * DAY_MS + 12 * HOUR_MS;
    for (const [at, status] of [
      [noon - DAY_MS, "delivered"],
      [noon - HOUR_MS, "sent"],
      [noon + HOUR_MS, "expired"],
      [noon + DAY_MS, "bounced"],
    ] as const) {
      await store(company, at, { status });
    }
    await store(company, noon, { status: "cancelled", lane: "transactional" });
    await rollUpAll();
    const totals = async (query: string) => nonZero((await statsOf(company, query)).totals);
    const at = (time: number) => new Date(time).toISOString();
    expect(await totals(`from=${day(noon)}&to=${day(noon)}`)).toEqual({ sent: 1, expired: 1, cancelled: 1 });
    expect(await totals(`from=${at(noon)}`)).toEqual({ sent: 1, bounced: 1, expired: 1, cancelled: 1 });
    expect(await totals(`from=${at(noon - DAY_MS)}&to=${at(noon)}`)).toEqual({ sent: 2, delivered: 1 });
    expect(await totals(`from=${at(noon - HOUR_MS)}&to=${at(noon + HOUR_MS)}`)).toEqual({ sent: 1, cancelled: 1 });
    expect(await totals("lane=transactional")).toEqual({ cancelled: 1 });
    expect(await totals("lane=bulk")).toEqual({});
    expect(await totals("lane=auth,transactional")).toEqual(await totals(""));
    expect(await totals("event_type=identity.user.invitation_revoked")).toEqual({ cancelled: 1 });
    const offset = encodeURIComponent(at(noon).replace("Z", "+00:00"));
    expect(await totals(`from=${offset}`)).toEqual(await totals(`from=${at(noon)}`));
  });

  it("include whole days of purged messages, even if the first day is older", async () => {
    const company = createCompany();
    const old = today - 35 * DAY_MS;
    const key = { company_id: company, lane: "auth", event_type: "identity.user.invited" };
    await insertRow(stats_days, { ...key, day: day(old), sent: 7 });
    await insertRow(stats_days, { ...key, lane: "bulk", event_type: "broadcast", day: day(old + DAY_MS), sent: 2 });
    const from = new Date(old + HOUR_MS).toISOString();
    const stats = await statsOf(company, `from=${from}`);
    expect(nonZero(stats.totals)).toEqual({ sent: 9 });
    expect(nonZero(stats.by_internal.broadcast)).toEqual({ sent: 2 });
    expect(Object.keys(stats.by_event)).toEqual(["identity.user.invited"]);
    expect(nonZero((await statsOf(company)).totals)).toEqual({});
  });

  it("count events without a message by reason", async () => {
    const company = createCompany();
    const noon = today - 2 * DAY_MS + 12 * HOUR_MS;
    const key = { company_id: company, lane: "transactional", event_type: "hosting.app.created" };
    await insertRow(skip_days, { ...key, day: day(noon), reason: "no_rule", n: 2 });
    await insertRow(skip_days, { ...key, day: day(noon), reason: "no_recipients", n: 1 });
    for (const [at, reason] of [
      [noon - HOUR_MS, "no_rule"],
      [noon + HOUR_MS, "no_rule"],
      [noon + HOUR_MS, "no_recipients"],
    ] as const) {
      const { lane: _, ...row } = key;
      await insertRow(decisions, {
        ...row,
        id: idAt(at),
        service: "hosting",
        reason,
        request_id: "r",
        created_at: at,
        is_skip: true,
      });
    }
    const skipped = async (query: string) => (await statsOf(company, query)).skipped;
    expect(await skipped("")).toEqual({ total: 3, no_recipients: 1, rule_disabled: 0, no_rule: 2 });
    const after = `from=${new Date(noon).toISOString()}`;
    expect(await skipped(after)).toEqual({ total: 2, no_recipients: 1, rule_disabled: 0, no_rule: 1 });
    expect((await skipped("lane=auth")).total).toBe(0);
    expect((await skipped(`${after}&lane=auth`)).total).toBe(0);
    expect((await skipped(`${after}&lane=transactional`)).total).toBe(2);
  });

  it("count an event without a message once for any number of rules, by days and by times", async () => {
    const sender = await startForAll();
    const { companyId, create, post } = await startEvents(sender);
    const skipped = async () =>
      Promise.all(
        ["", `from=${new Date(Date.now() - MINUTE_MS).toISOString()}`].map(
          async (query) => (await statsOf(companyId, query)).skipped,
        ),
      );
    const none = { total: 0, no_recipients: 0, rule_disabled: 0, no_rule: 0 };
    await create({ event_type: DEPLOYED });
    await create({ event_type: DEPLOYED, recipient_mode: "static" });
    expect((await post({ recipients: [{ email: "mina@example.com" }] })).body.messages).toHaveLength(1);
    expect(await skipped()).toEqual([none, none]);
    expect((await post({})).body.skipped_reason).toBe("no_recipients");
    expect((await post({ event_type: "hosting.app.created" })).body.skipped_reason).toBe("no_rule");
    const both = { ...none, total: 2, no_recipients: 1, no_rule: 1 };
    expect(await skipped()).toEqual([both, both]);
  });

  it("count recipients that events and batches refused, by days and by times, also in a repeated batch", async () => {
    const sender = await startForAll();
    const { companyId, create, post, keys } = await startEvents(sender);
    await create({ event_type: DEPLOYED });
    await storeSuppression(companyId, "mina@example.com", { reason: "complaint" });
    await storeSuppression(companyId, "leo@example.com", { unsubscribed: "transactional" });
    const [mina, leo, zoe] = ["mina", "leo", "zoe"].map((name) => ({ email: `${name}@example.com` }));
    await post({ recipients: [mina, leo, zoe] });
    const json = {
      company_id: companyId,
      template_key: DEPLOYED,
      items: [{ to: mina }, { to: { email: "Mina@example.com" } }, {}],
    };
    const bindings = { DB: loseAnswer(testEnv.DB, 2) };
    const response = await sender.call("/api/v1/send/batch", { bearer: keys.hosting, json, bindings });
    const rejected = [0, 1].map((index) => ({ index, error_code: "recipient_suppressed" }));
    expect(await response.json()).toMatchObject({
      accepted: [],
      rejected: [...rejected, { index: 2, error_code: "validation_failed" }],
    });
    for (const query of ["", `from=${new Date(Date.now() - MINUTE_MS).toISOString()}`, `event_type=${DEPLOYED}`]) {
      expect(await statsOf(companyId, query), query).toMatchObject({
        skipped: { total: 0 },
        refused: { total: 4, recipient_suppressed: 3, unsubscribed: 1 },
        totals: { queued: 1, suppressed: 0 },
      });
    }
    expect((await statsOf(companyId, "lane=auth")).refused.total).toBe(0);
  });

  it("show rates, and warn that SMTP without a webhook reports no deliveries", async () => {
    const companyId = createCompany();
    const rates = async (worker = email) => {
      const owner = await worker.token({ companyId, isOwner: true });
      const stats = await (await worker.call("/api/v1/stats", { bearer: owner })).json<Stats>();
      return [stats.rates, stats.warnings];
    };
    const [unknown, warning] = [{ delivered: null, bounced: null, complained: null }, "smtp_reports_no_deliveries"];
    expect(await rates()).toEqual([unknown, []]);
    const at = today - HOUR_MS;
    await store(companyId, at, { status: "sent" });
    const relay = { EMAIL_FALLBACK_PROVIDER: "smtp", PROVIDER_WEBHOOK_SECRET: "" };
    const [bySmtp, withWebhook] = [
      await startEmail({ vars: relay }),
      await startEmail({ vars: { ...relay, PROVIDER_WEBHOOK_SECRET: "secret" } }),
    ];
    expect(await rates(bySmtp)).toEqual([unknown, [{ code: warning, detail: "platform" }]]);
    expect(await rates(withWebhook)).toEqual([{ delivered: 0, bounced: 0, complained: 0 }, []]);
    for (const status of ["delivered", "bounced", "complained", "delivered", "sent"] as const) {
      await store(companyId, at, { status });
    }
    const known = { delivered: 0.5, bounced: 0.1667, complained: 0.1667 };
    expect(await rates()).toEqual([known, []]);
    await storeProvider(companyId, {
      kind: "smtp",
      host: "smtp.aster.example",
      port: 587,
      username: "",
      password: "",
      use_tls: true,
      use_ssl: false,
    });
    expect(await rates()).toEqual([known, [{ code: warning, detail: "company" }]]);
  });

  it("include an older first day completely when its decisions are purged and its messages are not", async () => {
    const company = createCompany();
    const old = today - 45 * DAY_MS;
    await updateRows(stats_marks, { counted_before: old - DAY_MS }, eq(stats_marks.id, 1));
    const key = { company_id: company, lane: "transactional", event_type: "hosting.app.created" };
    await insertRow(skip_days, { ...key, day: day(old), reason: "no_rule", n: 7 });
    await store(company, old + HOUR_MS, { status: "sent" });
    const withRetention = await startEmail({ vars: { EMAIL_MESSAGE_RETENTION_DAYS: "90" } });
    const bearer = await withRetention.token({ companyId: company, isOwner: true });
    for (const [from, sent] of [
      [day(old), 1],
      [new Date(old + 1).toISOString(), 1],
      [new Date(old + 2 * HOUR_MS).toISOString(), 0],
    ] as const) {
      const stats = await (await withRetention.call(`/api/v1/stats?from=${from}`, { bearer })).json<Stats>();
      expect([stats.skipped.no_rule, stats.totals.sent], from).toEqual([7, sent]);
    }
  });

  it.each([
    ["from=yesterday", "validation_failed", { from: ["invalid"] }],
    ["from=2026-02-30", "validation_failed", { from: ["invalid"] }],
    ["to=2026-01-01T00:00:00", "validation_failed", { to: ["invalid"] }],
    ["from=2026-01-02&to=2025-12-31", "validation_failed", { from: ["out_of_range"] }],
    ["from=2026-01-02&to=2026-01-01", "validation_failed", { from: ["out_of_range"] }],
    ["from=2024-01-01&to=2025-12-31", "validation_failed", { to: ["out_of_range"] }],
    ["lane=fast", "validation_failed", { lane: ["invalid"] }],
    ["event_type=identity.none", "event_unknown", undefined],
  ])("reject %s", async (query, error_code, field_errors) => {
    const owner = await email.token({ companyId: createCompany(), isOwner: true });
    const response = await email.call(`/api/v1/stats?${query}`, { bearer: owner });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error_code, ...(field_errors && { field_errors }) },
    ]);
  });

  it.each([10_000, 100_000])(
    "read at most one row per day, lane and event for %i messages in a month",
    async (count) => {
      const company = createCompany();
      const owner = await email.token({ companyId: company, isOwner: true });
      const read = (query: string) => rowsReadBy(() => email.call(`/api/v1/stats?${query}`, { bearer: owner }));
      await storeMonth(testEnv.DB, company, { from: 1, to: count });
      await rollUpAll();
      const dayRows = await readRows(stats_days, eq(stats_days.company_id, company));
      expect(dayRows.length).toBeGreaterThan(29 * eventsOfADay);
      expect(dayRows.length).toBeLessThanOrEqual(31 * eventsOfADay);
      // The other rows that the query reads are the mark and one row behind the end of the range.
      expect(await read("")).toBeLessThanOrEqual(dayRows.length + 12);
      expect(await read(`from=${day(today - 6 * DAY_MS)}`)).toBeLessThanOrEqual(7 * eventsOfADay + 12);
      expect((await statsOf(company)).totals).toMatchObject({ sent: count, bounced: count / 50 });
      await deleteRows(messages, eq(messages.company_id, company));
    },
    60_000,
  );

  it("read one row per day, lane and event, and the messages that are not rolled up yet", async () => {
    const company = createCompany();
    const owner = await email.token({ companyId: company, isOwner: true });
    const platformDb = openDb(testEnv.DB);
    const markOf = async () => (await readRows(stats_marks, undefined))[0]?.counted_before;
    await storeMonth(testEnv.DB, company, { from: 1, to: 10_000 });
    await rollUpBefore(platformDb, Date.now() - 30 * MINUTE_MS);
    const mark = await markOf();
    const at = Date.now() - 10 * MINUTE_MS;
    const [row] = await readRows(messages, eq(messages.company_id, company));
    if (row === undefined) throw new Error("no row");
    const storeDuplicates = (from: number, to: number) =>
      insertNumbered(testEnv.DB, messages, { from, to }, (i) => ({
        ...row,
        id: sql`printf('%012x%020x', ${at}, ${company} * 1000 + ${i})`,
        accepted_at: at,
        sent_at: at,
      }));
    await storeDuplicates(1, 499);
    await rollUpCounts({ platformDb, clock });
    expect(await markOf()).toBe(mark);
    let stats: Stats | undefined;
    const read = async () =>
      rowsReadBy(async () => {
        stats = await (await email.call("/api/v1/stats", { bearer: owner })).json<Stats>();
      });
    expect(await read()).toBeLessThanOrEqual(30 * LANES.length * eventsOfADay);
    expect(stats?.totals.sent).toBe(10_499);
    await storeDuplicates(500, 500);
    await rollUpCounts({ platformDb, clock });
    expect(await markOf()).toBeGreaterThan(mark ?? 0);
    expect(await read()).toBeLessThanOrEqual(31 * eventsOfADay + 12);
    expect(stats?.totals.sent).toBe(10_500);
    await deleteRows(messages, eq(messages.company_id, company));
  });

  it("read only the roll-ups for any number of messages", async () => {
    const company = createCompany();
    const at = today - 5 * DAY_MS;
    const id = await store(company, at, { status: "sent" });
    const numbers = sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000) select i from n) n`;
    const changed = { id: sql`substr(${id}, 1, 12) || printf('%020x', n.i)`, email_hmac: sql`'x' || n.i` };
    const row = { ...getTableColumns(messages), ...changed } as unknown as InsertValues<typeof messages>;
    await db.run(insertSelect(messages, row, sql`from ${messages} cross join ${numbers} where ${messages.id} = ${id}`));
    await rollUpAll();
    const owner = await email.token({ companyId: company, isOwner: true });
    let stats: Stats | undefined;
    const read = await rowsReadBy(async () => {
      stats = await (
        await email.call(`/api/v1/stats?from=${day(today - 29 * DAY_MS)}`, { bearer: owner })
      ).json<Stats>();
    });
    expect(stats?.totals.sent).toBe(10_001);
    const dayRows = await readRows(stats_days, eq(stats_days.company_id, company));
    // The other rows that the query reads are the mark and one row of each temporary table for the sums.
    expect(read).toBeLessThanOrEqual(dayRows.length + 12);
  });
});
