import { eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { sessions } from "../../db/identity/schema";
import { purgeExpiredData } from "../../workers/identity/operations/jobs/purge.job";
import { services } from "../../workers/identity/services";
import { clock } from "../../workers/kit/clock";
import { insertSelect } from "../../workers/kit/db/query";
import { idBefore, uuid } from "../../workers/kit/ids";
import { createLog } from "../../workers/kit/log";
import { meterDatabase } from "../support/db/metered-database";
import { createCompany, createMailbox, identityEnv } from "../support/identity/identity";
import { countRows, db, insertRow, readRows } from "../support/identity/rows";

const day = 86_400_000;
// This time is before the rows of other tests.
const now = Date.parse("2026-06-01T12:00:00Z");

const session = (company: number, columns: { id: string; idle_expires_at: number; provider?: string }) => ({
  user_id: 1,
  company_id: company,
  provider: "x",
  auth_time: 1,
  rotated_at: 1,
  absolute_expires_at: now + 90 * day,
  created_at: 1,
  ...columns,
});

async function purge() {
  clock.now = () => now;
  const env = identityEnv(createMailbox());
  const { db: metered, takeStatements } = meterDatabase(env.DB);
  const identityServices = services(
    { ...env, DB: metered },
    { requestId: "test", log: createLog({ service: "identity" }), waitUntil: () => {} },
  );
  const run = { id: 0, trigger: "scheduler" as const, fence: null, startedAt: now, stopAt: Infinity, report: () => {} };
  const counts = await purgeExpiredData.run(identityServices, run, purgeExpiredData.scheduledFlags);
  return { counts, removals: takeStatements().filter(({ text }) => text.startsWith('delete from "sessions"')) };
}

it("deletes ended sessions by their time-ordered keys, 2,000 per statement, and also those with older, random keys", async () => {
  const { id: company } = await createCompany();
  const old = idBefore(now - 30 * day);
  const insertSessions = (count: number, first: number, idle: number) =>
    db.run(
      insertSelect(
        sessions,
        session(company, {
          id: sql`${old} || printf('-%08d', i + ${first})` as unknown as string,
          idle_expires_at: idle,
        }),
        sql`from (with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n)`,
      ),
    );
  // Live rows have keys before, between and after the keys of the ended rows.
  await insertSessions(100, 0, now + day);
  await insertSessions(4500, 100, now - 8 * day);
  await insertSessions(100, 4600, now + day);
  clock.now = () => now - 8 * day;
  const random = () => `ffffffff${crypto.randomUUID().slice(8)}`;
  await insertRow(sessions, session(company, { id: random(), idle_expires_at: now - 8 * day }));
  await insertRow(sessions, session(company, { id: random(), idle_expires_at: now + day, provider: "odd" }));
  await insertRow(sessions, session(company, { id: uuid(), idle_expires_at: now - 8 * day }));
  const { counts, removals } = await purge();
  expect(counts).toMatchObject({ sessions: 4502, complete: true });
  expect(Math.max(...removals.map(({ written }) => written))).toBe(2000);
  expect(removals.length).toBeLessThanOrEqual(7);
  expect(await countRows(sessions, eq(sessions.company_id, company))).toBe(201);
  const remaining = await readRows(sessions, eq(sessions.company_id, company));
  expect(remaining.every(({ idle_expires_at }) => idle_expires_at > now)).toBe(true);
  expect(remaining.filter(({ provider }) => provider === "odd")).toHaveLength(1);
});
