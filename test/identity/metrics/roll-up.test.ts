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
import { breakDb, ConsumerDied, repeatBatches } from "../../support/db/broken-db";
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

// folded_until never decreases, so the clock must not go back between the tests of this file.
let fileNow = clock.now;
beforeEach(() => {
  clock.now = fileNow;
});
afterAll(async () => {
  // Resets the mark, so that later files count only events after this time.
  await setFoldedUntil(Date.now());
});

const MINUTE = 60_000;
const DAY = 86_400_000;

/** Returns the services of a roll-up, with a database that may fail. */
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

const storedCounts = async (company: number) =>
  (await readRows(company_totals, eq(company_totals.company_id, company)))[0]?.counts;
const setFoldedUntil = (folded_until: number) =>
  updateRows(company_totals, { folded_until }, eq(company_totals.company_id, 0));

/** Creates a company in which this many users have signed in with a link, and returns its id. */
async function companyWith(users: number) {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  for (let i = 0; i < users; i++) await signIn(env, mailbox, company, freshEmail());
  return company.id;
}

/** Advances the clock, by default so far that the roll-up includes all current events. */
function advance(ms = 6 * MINUTE) {
  const base = clock.now;
  fileNow = () => base() + ms;
  clock.now = fileNow;
}

const totalValues = (company: number) => totalsOf(company).then((rows) => rows.map(({ value }) => value));

it("shows the same totals before and after a roll-up, including later events", async () => {
  const company = await companyWith(2);
  expect([await storedCounts(company), await totalValues(company)]).toEqual([{}, [2, 2, 2]]);
  advance();
  expect(await rollUpLog(servicesWith())).toBe(true);
  expect(await storedCounts(company)).toEqual({ magic_links_requested: 2, "successful_logins:magic_link": 2 });
  expect(await totalValues(company)).toEqual([2, 2, 2]);
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
  advance();
  await rollUpLog(servicesWith());
  expect(await storedCounts(company)).toMatchObject({
    "successful_logins:google": 1,
    "successful_logins:magic_link": 2,
  });
});

it("leaves recent events for the next roll-up, so that a late row is counted once", async () => {
  const company = await companyWith(1);
  const lateAt = clock.now() - 1000;
  advance(4 * MINUTE);
  await rollUpLog(servicesWith());
  expect(await storedCounts(company)).toEqual({});
  // A batch that D1 retries after a lost result writes a row with an earlier time than existing rows.
  await storeEntry(company, { event_type: "identity.auth.magic_link.requested", created_at: lateAt });
  advance(2 * MINUTE);
  await rollUpLog(servicesWith());
  expect(await totalsOf(company, "magic_links_requested")).toMatchObject([{ value: 2 }]);
});

it("counts each event once when batches are repeated and when runs overlap", async () => {
  const company = await companyWith(1);
  advance(3 * DAY);
  await rollUpLog(servicesWith(repeatBatches));
  expect(await storedCounts(company)).toMatchObject({ magic_links_requested: 1 });
  const other = await companyWith(1);
  advance(3 * DAY);
  await Promise.all(Array.from({ length: 5 }, () => rollUpLog(servicesWith())));
  expect(await storedCounts(other)).toMatchObject({ magic_links_requested: 1, "successful_logins:magic_link": 1 });
});

it("continues a roll-up that was killed before or after any of its database calls", async () => {
  const company = await companyWith(1);
  advance(4 * DAY);
  for (const place of ["before", "after"] as const) {
    for (const call of [1, 2, 3]) {
      const rollUp = rollUpLog(servicesWith((db) => breakDb(db, place, call)));
      await rollUp.catch((error) => expect(error).toBeInstanceOf(ConsumerDied));
      expect(await totalValues(company)).toEqual([1, 1, 1]);
    }
  }
  expect(await rollUpLog(servicesWith())).toBe(true);
  expect(await storedCounts(company)).toMatchObject({ magic_links_requested: 1, "successful_logins:magic_link": 1 });
});

it("rolls up before the log is purged, and skips the purge while one run cannot roll up all events", async () => {
  const company = await companyWith(1);
  advance(20 * DAY);
  const purge = () => runJob(purgeExpiredData);
  // The roll-up skips days without events in larger steps, so each of these days has a sign-in.
  const start = clock.now() - 60 * DAY;
  const event_type = "identity.auth.login.succeeded";
  for (let day = 0; day < 45; day++) {
    await storeEntry(company, { event_type, provider: "google", created_at: start + day * DAY + MINUTE });
  }
  await setFoldedUntil(start);
  expect(await purge()).toMatchObject({ events: 0, complete: false });
  const { complete, events } = await purge();
  expect(complete).toBe(true);
  expect(events).toBeGreaterThan(0);
  expect(await totalsOf(company, "successful_logins")).toMatchObject([
    { label: "google", value: 45 },
    { label: "magic_link", value: 1 },
  ]);
});

it("rolls up before the hour ends when a scrape would have to count 5,000 rows", async () => {
  const company = await companyWith(1);
  advance();
  await rollUpLog(servicesWith());
  const rolledUp = await storedCounts(company);
  const entry = { event_type: "identity.auth.login.succeeded", provider: "google", user_id: null };
  await storeEntries(company, 4990, { ...entry, created_at: sql`${clock.now()}` });
  advance(7 * MINUTE);
  await runJob(retryMailJob);
  expect(await storedCounts(company)).toEqual(rolledUp);
  await storeEntries(company, 20, { ...entry, created_at: sql`${clock.now() - 6 * MINUTE}` });
  await runJob(retryMailJob);
  expect(await storedCounts(company)).toEqual({ ...rolledUp, "successful_logins:google": 5010 });
  expect(await totalsOf(company, "successful_logins")).toContainEqual(expect.objectContaining({ value: 5010 }));
});

it("catches up with a year without sign-ins in one run", async () => {
  const company = await companyWith(1);
  advance(500 * DAY);
  expect(await rollUpLog(servicesWith())).toBe(true);
  expect(await totalValues(company)).toEqual([1, 1, 1]);
});

it("counts a consumed link whose auth code is not redeemed yet, and keeps the count if it is never redeemed", async () => {
  const { id: company } = await createCompany();
  await insertRow(company_totals, { company_id: company });
  const code = (columns: Partial<typeof auth_codes.$inferInsert>) =>
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
      ...columns,
    });
  const { code_hash } = await code({});
  await code({ redeemed_at: 1, redeem_nonce: "n" });
  // A grant of staff status ends codes that are not redeemed, and codes of provider sign-ins do not count as links.
  const { code_hash: ended } = await code({ redeemed_at: 1 });
  await code({ provider: "google" });
  const consumedLinks = async () => (await totalsOf(company, "magic_links_consumed")).map(({ value }) => value);
  expect(await consumedLinks()).toEqual([2]);
  for (const hash of [code_hash, ended]) await deleteRows(auth_codes, eq(auth_codes.code_hash, hash));
  expect(await storedCounts(company)).toEqual({ links_without_login: 2 });
  expect(await consumedLinks()).toEqual([2]);
});
