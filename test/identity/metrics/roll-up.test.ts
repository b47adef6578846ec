import { eq, sql } from "drizzle-orm";
import { afterAll, beforeEach, expect, it } from "vitest";
import { auth_codes, company_totals } from "../../../db/identity/schema";
import { retryMailJob } from "../../../workers/identity/mail/outbox/mail.job";
import { purgeExpiredData } from "../../../workers/identity/operations/jobs/purge.job";
import { rollUpLog } from "../../../workers/identity/records/metrics/roll-up";
import { services } from "../../../workers/identity/services";
import { clock } from "../../../workers/kit/clock";
import type { Db } from "../../../workers/kit/db/db";
import { createLog } from "../../../workers/kit/log";
import { breakDb, repeatBatches, ThrownAway } from "../../support/db/broken-db";
import { createCompany, createMailbox, freshEmail, identityEnv, signIn } from "../../support/identity/identity";
import {
  deleteRows,
  insertRow,
  readRows,
  storeEntries,
  storeEntry,
  totalsOf,
  updateRows,
} from "../../support/identity/rows";

// The mark of what is folded never goes back, so neither does the clock of this file.
let fileNow = clock.now;
beforeEach(() => {
  clock.now = fileNow;
});
afterAll(async () => {
  // Later files count only what they write from now on.
  await moveMark(Date.now());
});

const MINUTE = 60_000;
const DAY = 86_400_000;

/** What a fold works with, over a database that may be faulty. */
function servicesWith(fault: (db: Db) => Db = (db) => db) {
  const env = identityEnv(createMailbox());
  const identityServices = services(env, {
    requestId: "test",
    log: createLog({ service: "identity" }),
    waitUntil: () => {},
  });
  return { ...identityServices, db: fault(identityServices.db) };
}

/** Runs a job as the scheduler does. */
function runJob({ run, scheduledFlags }: typeof purgeExpiredData) {
  const startedAt = clock.now();
  const jobRun = { id: 0, trigger: "scheduler" as const, fence: null, startedAt, stopAt: Infinity, report: () => {} };
  return run(servicesWith(), jobRun, scheduledFlags);
}

const countsOf = async (company: number) =>
  (await readRows(company_totals, eq(company_totals.company_id, company)))[0]?.counts;
const moveMark = (folded_until: number) =>
  updateRows(company_totals, { folded_until }, eq(company_totals.company_id, 0));

/** A company in which `count` users signed in by a link. */
async function companyWith(users: number) {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  for (let i = 0; i < users; i++) await signIn(env, mailbox, company, freshEmail());
  return company.id;
}

/** The clock shows when everything of now may be folded. */
function later(ms = 6 * MINUTE) {
  const base = clock.now;
  fileNow = () => base() + ms;
  clock.now = fileNow;
}

const totalValuesOf = (company: number) => totalsOf(company).then((rows) => rows.map(({ value }) => value));

it("shows the same totals before and after a roll-up, including later events", async () => {
  const company = await companyWith(2);
  expect([await countsOf(company), await totalValuesOf(company)]).toEqual([{}, [2, 2, 2]]);
  later();
  expect(await rollUpLog(servicesWith())).toBe(true);
  expect(await countsOf(company)).toEqual({ magic_links_requested: 2, "successful_logins:magic_link": 2 });
  expect(await totalValuesOf(company)).toEqual([2, 2, 2]);
  await storeEntry(company, {
    event_type: "identity.auth.login.succeeded",
    provider: "google",
    outcome: "success",
    created_at: clock.now(),
  });
  expect(await totalsOf(company, "successful_logins")).toMatchObject([
    { label: "google", value: 1 },
    { label: "magic_link", value: 2 },
  ]);
  later();
  await rollUpLog(servicesWith());
  expect(await countsOf(company)).toMatchObject({ "successful_logins:google": 1, "successful_logins:magic_link": 2 });
});

it("leaves recent events to the next roll-up, so that a late row is counted once", async () => {
  const company = await companyWith(1);
  const written = clock.now() - 1000;
  later(4 * MINUTE);
  await rollUpLog(servicesWith());
  expect(await countsOf(company)).toEqual({});
  // Like a retried batch whose result was lost: its row has an earlier time than existing rows.
  await storeEntry(company, { event_type: "identity.auth.magic_link.requested", created_at: written });
  later(2 * MINUTE);
  await rollUpLog(servicesWith());
  expect(await totalsOf(company, "magic_links_requested")).toMatchObject([{ value: 2 }]);
});

it("counts each event once when batches are repeated and when several runs overlap", async () => {
  const company = await companyWith(1);
  later(3 * DAY);
  await rollUpLog(servicesWith(repeatBatches));
  expect(await countsOf(company)).toMatchObject({ magic_links_requested: 1 });
  const other = await companyWith(1);
  later(3 * DAY);
  await Promise.all(Array.from({ length: 5 }, () => rollUpLog(servicesWith())));
  expect(await countsOf(other)).toMatchObject({ magic_links_requested: 1, "successful_logins:magic_link": 1 });
});

it("continues where a roll-up was killed, before or after any of its calls", async () => {
  const company = await companyWith(1);
  later(4 * DAY);
  for (const place of ["before", "after"] as const) {
    for (const call of [1, 2, 3]) {
      const fold = rollUpLog(servicesWith((db) => breakDb(db, place, call)));
      await fold.catch((error) => expect(error).toBeInstanceOf(ThrownAway));
      expect(await totalValuesOf(company)).toEqual([1, 1, 1]);
    }
  }
  expect(await rollUpLog(servicesWith())).toBe(true);
  expect(await countsOf(company)).toMatchObject({ magic_links_requested: 1, "successful_logins:magic_link": 1 });
});

it("rolls up before the purge of the log, which waits while more is left than one run can count", async () => {
  const company = await companyWith(1);
  later(20 * DAY);
  const purge = () => runJob(purgeExpiredData);
  // Behind days without anything a part is longer; of these each has a sign-in.
  const start = clock.now() - 60 * DAY;
  const event_type = "identity.auth.login.succeeded";
  for (let day = 0; day < 45; day++) {
    await storeEntry(company, { event_type, provider: "google", created_at: start + day * DAY + MINUTE });
  }
  await moveMark(start);
  expect(await purge()).toMatchObject({ events: 0, complete: false });
  const { complete, events } = await purge();
  expect(complete).toBe(true);
  expect(events).toBeGreaterThan(0);
  expect(await totalsOf(company, "successful_logins")).toMatchObject([
    { label: "google", value: 45 },
    { label: "magic_link", value: 1 },
  ]);
});

it("rolls up before the hour is over when a scrape would have 5,000 rows to count", async () => {
  const company = await companyWith(1);
  later();
  await rollUpLog(servicesWith());
  const folded = await countsOf(company);
  const entry = { event_type: "identity.auth.login.succeeded", provider: "google", user_id: null };
  await storeEntries(company, 4990, { ...entry, created_at: sql`${clock.now()}` });
  later(7 * MINUTE);
  await runJob(retryMailJob);
  expect(await countsOf(company)).toEqual(folded);
  await storeEntries(company, 20, { ...entry, created_at: sql`${clock.now() - 6 * MINUTE}` });
  await runJob(retryMailJob);
  expect(await countsOf(company)).toEqual({ ...folded, "successful_logins:google": 5010 });
  expect(await totalsOf(company, "successful_logins")).toContainEqual(expect.objectContaining({ value: 5010 }));
});

it("catches up with a year without sign-ins in one run", async () => {
  const company = await companyWith(1);
  later(500 * DAY);
  expect(await rollUpLog(servicesWith())).toBe(true);
  expect(await totalValuesOf(company)).toEqual([1, 1, 1]);
});

it("counts a link that was consumed for a code until the code is redeemed, and permanently when it never is", async () => {
  const { id: company } = await createCompany();
  await insertRow(company_totals, { company_id: company });
  const code = (more: Partial<typeof auth_codes.$inferInsert>) =>
    insertRow(auth_codes, {
      code_hash: crypto.randomUUID(),
      user_id: 1,
      company_id: company,
      provider: "magic_link",
      redirect_to: "x",
      redirect_key: "x",
      auth_time: 1,
      client_context: {},
      created_at: 1,
      expires_at: 1,
      ...more,
    });
  const { code_hash } = await code({});
  await code({ redeemed_at: 1, redeem_nonce: "n" });
  // A grant of staff status ends codes without redeeming them; codes of a provider's sign-in are not those of a link.
  const { code_hash: ended } = await code({ redeemed_at: 1 });
  await code({ provider: "google" });
  const used = async () => (await totalsOf(company, "magic_links_consumed")).map(({ value }) => value);
  expect(await used()).toEqual([2]);
  for (const hash of [code_hash, ended]) await deleteRows(auth_codes, eq(auth_codes.code_hash, hash));
  expect(await countsOf(company)).toEqual({ links_without_login: 2 });
  expect(await used()).toEqual([2]);
});
