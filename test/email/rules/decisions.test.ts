import { and, eq, isNotNull } from "drizzle-orm";
import { expect, it } from "vitest";
import { decisions, erasures, skip_days } from "../../../db/email/schema";
import worker from "../../../workers/email/worker";
import { clock } from "../../../workers/kit/clock";
import { DAY_MS } from "../../../workers/kit/time";
import { meterDatabase } from "../../support/db/metered-database";
import { watchCalls } from "../../support/db/watched-database";
import { expectGuards, problemOf, send } from "../../support/email/admin";
import { storeSuppression, testEnv } from "../../support/email/email";
import { idAt } from "../../support/email/messages";
import { insertRows, readRows } from "../../support/email/rows";
import { DEPLOYED, startEvents, startForAll } from "../../support/email/rules";
import { tick } from "../../support/jobs/jobs";

const email = await startForAll();
const PATH = "/api/v1/decisions";

type Page = {
  decisions: { id: string; reason: string; event_type: string; created_at: string }[];
  next_cursor: string | null;
};

/** Returns a decision row as an accepted event stores it. */
function decision(companyId: number, at: number, values: Partial<typeof decisions.$inferInsert> = {}) {
  return {
    company_id: companyId,
    id: idAt(at),
    service: "hosting",
    event_type: DEPLOYED,
    reason: "no_rule" as const,
    request_id: "r",
    created_at: at,
    ...values,
  };
}

it("lists decisions for the company's owners and staff, with masked addresses, newest first", async () => {
  await expectGuards(email, { method: "GET", path: PATH });
  const { companyId, owner, create, post } = await startEvents(email);
  await post({});
  const rule = await create({ event_type: DEPLOYED });
  await storeSuppression(companyId, "mina@example.com", { reason: "complaint" });
  const { response } = await post({ recipients: [{ email: "Mina@example.com" }] });
  const { decisions: listed, next_cursor } = await (await email.call(PATH, { bearer: owner })).json<Page>();
  expect(next_cursor).toBeNull();
  const common = { service: "hosting", event_type: DEPLOYED, created_at: expect.stringMatching(/Z$/) };
  expect(listed).toEqual([
    {
      ...common,
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      reason: "recipient_suppressed",
      rule_id: rule.id,
      recipient_masked: "m***@example.com",
      request_id: response.headers.get("x-request-id"),
    },
    {
      ...common,
      id: expect.any(String),
      reason: "no_rule",
      rule_id: null,
      recipient_masked: null,
      request_id: expect.any(String),
    },
  ]);
});

it("filters decisions by event, reason and time, with pages that skip none", async () => {
  const { companyId, owner } = await startEvents(email);
  const now = clock.now();
  const rows = Array.from({ length: 120 }, (_, index) =>
    decision(companyId, now - index * 60_000, {
      reason: index % 2 === 0 ? "no_rule" : "no_recipients",
      event_type: index % 3 === 0 ? "hosting.app.created" : DEPLOYED,
    }),
  );
  await insertRows(decisions, rows);
  const page = async (query: string) => (await email.call(`${PATH}?${query}`, { bearer: owner })).json<Page>();
  const walk = async (query: string) => {
    const ids: string[] = [];
    for (let cursor = "", pages = 0; pages < 20; pages++) {
      const { decisions: listed, next_cursor } = await page(`${query}&limit=7${cursor}`);
      ids.push(...listed.map(({ id }) => id));
      if (next_cursor === null) return ids;
      cursor = `&cursor=${next_cursor}`;
    }
    throw new Error("no end");
  };
  const idsOf = (fits: (row: (typeof rows)[number]) => boolean) => rows.filter(fits).map(({ id }) => id);
  expect(await walk("")).toEqual(idsOf(() => true));
  expect(await walk("reason=no_rule")).toEqual(idsOf(({ reason }) => reason === "no_rule"));
  const both = `reason=no_recipients&event_type=${DEPLOYED}`;
  expect(await walk(both)).toEqual(idsOf((row) => row.reason === "no_recipients" && row.event_type === DEPLOYED));
  const [from, to] = [now - 30 * 60_000, now - 10 * 60_000].map((at) => new Date(at).toISOString());
  expect(await walk(`from=${from}&to=${to}`)).toEqual(
    idsOf(({ created_at: at }) => at >= now - 30 * 60_000 && at < now - 10 * 60_000),
  );
  expect((await page("")).decisions).toHaveLength(50);
});

it("rejects an invalid filter of decisions", async () => {
  const { owner } = await startEvents(email);
  const problemOfQuery = async (query: string) =>
    problemOf(await send(email, owner, { method: "GET", path: `${PATH}?${query}` }));
  expect(await problemOfQuery("reason=bad&from=x&to=y")).toEqual([
    400,
    "validation_failed",
    { reason: ["invalid"], from: ["invalid"], to: ["invalid"] },
  ]);
  expect(await problemOfQuery("from=2026-02-02&to=2026-02-01")).toEqual([
    400,
    "validation_failed",
    { from: ["out_of_range"] },
  ]);
  expect(await problemOfQuery("event_type=hosting.nothing")).toEqual([400, "event_unknown"]);
  expect(await problemOfQuery("limit=0&cursor=x")).toMatchObject([
    400,
    "validation_failed",
    { limit: ["out_of_range"] },
  ]);
});

it("purges decisions after 30 days and skip counts after 400 days, in every company", async () => {
  const [a, b] = [await startEvents(email), await startEvents(email)];
  const now = clock.now();
  const dayOf = (days: number) => new Date(now - days * DAY_MS).toISOString().slice(0, 10);
  for (const { companyId } of [a, b]) {
    await insertRows(
      decisions,
      [31, 29, 0].map((days) => decision(companyId, now - days * DAY_MS)),
    );
    const skip = {
      company_id: companyId,
      lane: "transactional",
      event_type: DEPLOYED,
      reason: "no_rule",
      n: 1,
    } as const;
    await insertRows(
      skip_days,
      [402, 399].map((days) => ({ ...skip, day: dayOf(days) })),
    );
  }
  await tick(worker, email.bindings, "17 * * * *");
  for (const { companyId } of [a, b]) {
    const rows = await readRows(decisions, eq(decisions.company_id, companyId));
    expect(rows.map(({ created_at }) => Math.round((now - created_at) / DAY_MS)).sort()).toEqual([0, 29]);
    const days = await readRows(skip_days, eq(skip_days.company_id, companyId));
    expect(days.map(({ day }) => day)).toEqual([dayOf(399)]);
  }
});

it("reads at most one page of rows for a list of decisions, and 5,000 rows for a filter", async () => {
  const { companyId, owner } = await startEvents(email);
  const now = clock.now();
  await insertRows(
    decisions,
    Array.from({ length: 3000 }, (_, index) => decision(companyId, now - index)),
  );
  const metered = meterDatabase(testEnv.DB);
  const bindings = { DB: metered.db };
  expect((await email.call(PATH, { bearer: owner, bindings })).status).toBe(200);
  const read = () => metered.takeStatements().reduce((sum, { read: rows }) => sum + rows, 0);
  expect(read()).toBeLessThanOrEqual(200);
  await email.call(`${PATH}?reason=unsubscribed`, { bearer: owner, bindings });
  expect(read()).toBeLessThanOrEqual(5000);
});

it("erases the decisions of an address and its entries in email rules", async () => {
  const { companyId, create, post, staff, call } = await startEvents(email);
  const other = await startEvents(email);
  const [erasedAddress, remainingAddress] = ["gone@example.com", "Kept@example.com"];
  const list = {
    event_type: DEPLOYED,
    recipient_mode: "static",
    static_recipients: [remainingAddress, "Gone@Example.com"],
  };
  const [rule, foreign] = [await create(list), await other.create(list)];
  await create({ event_type: DEPLOYED });
  await storeSuppression(companyId, erasedAddress, { reason: "complaint" });
  for (let sent = 0; sent < 3; sent++) await post({ recipients: [{ email: erasedAddress }] });
  await insertRows(
    decisions,
    Array.from({ length: 600 }, (_, index) => decision(companyId, clock.now() - index, { email_hmac: "of-nobody" })),
  );
  const hashed = and(eq(decisions.company_id, companyId), isNotNull(decisions.email_hmac));
  expect(await readRows(decisions, hashed)).toHaveLength(606);
  const erase = () =>
    email.call("/api/v1/privacy/erase", { bearer: staff, json: { company_id: companyId, email: erasedAddress } });
  // Changes the rule between the erasure's read and its write.
  let isChanged = false;
  const bindings = {
    DB: watchCalls(testEnv.DB, {
      before: async (number) => {
        if (number !== 2 || isChanged) return;
        isChanged = true;
        const response = await call("PATCH", `/${rule.id}`, {
          static_recipients: [erasedAddress, remainingAddress, "new@example.com"],
        });
        expect(response.status).toBe(200);
      },
    }),
  };
  const json = { company_id: companyId, email: erasedAddress };
  const erased = await email.call("/api/v1/privacy/erase", { bearer: staff, json, bindings });
  expect([erased.status, isChanged]).toEqual([200, true]);
  const changedRule = await (await call("GET", `/${rule.id}`)).json<{ static_recipients: string[] }>();
  expect(changedRule.static_recipients).toEqual([remainingAddress, "new@example.com"]);
  expect((await (await other.call("GET", `/${foreign.id}`)).json<typeof changedRule>()).static_recipients).toHaveLength(
    2,
  );
  const remaining = await readRows(decisions, hashed);
  expect(new Set(remaining.map(({ email_hmac }) => email_hmac))).toEqual(new Set(["of-nobody"]));
  expect((await erase()).status).toBe(200);
  expect(await readRows(erasures, eq(erasures.company_id, companyId))).toEqual([]);
});

it("erases the decisions of an address in several steps when one step cannot hold them", async () => {
  const { companyId, staff, create, post } = await startEvents(email);
  await create({ event_type: DEPLOYED });
  await storeSuppression(companyId, "gone@example.com", { reason: "complaint" });
  await post({ recipients: [{ email: "gone@example.com" }] });
  const [{ email_hmac } = { email_hmac: null }] = await readRows(decisions, eq(decisions.company_id, companyId));
  const now = clock.now();
  await insertRows(
    decisions,
    Array.from({ length: 700 }, (_, index) => decision(companyId, now - index, { email_hmac })),
  );
  const json = { company_id: companyId, email: "gone@example.com" };
  expect((await email.call("/api/v1/privacy/erase", { bearer: staff, json })).status).toBe(200);
  expect(await readRows(decisions, eq(decisions.company_id, companyId))).toHaveLength(201);
  expect(await readRows(erasures, eq(erasures.company_id, companyId))).toHaveLength(1);
  expect(email.queueMessages.erasures?.at(-1)).toMatchObject({ kind: "erase" });
});
