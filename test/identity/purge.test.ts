import { and, type Column, eq, like } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { expect, it } from "vitest";
import {
  auth_codes,
  company_totals,
  event_log,
  mail_outbox,
  oauth_states,
  personal_access_tokens,
  scim_events,
  scim_tokens,
  sessions,
  sign_in_requests,
} from "../../db/identity/schema";
import type { IdentityBindings } from "../../workers/identity/bindings";
import { purgeExpiredData } from "../../workers/identity/operations/jobs/purge.job";
import { services } from "../../workers/identity/services";
import { clock } from "../../workers/kit/clock";
import { idBefore } from "../../workers/kit/ids";
import { createLog } from "../../workers/kit/log";
import { createCompany, createMailbox, createUser, freshEmail, identityEnv } from "../support/identity/identity";
import {
  changeCompany,
  changeMemberships,
  insertRow,
  readRows,
  storeEntries,
  storeEntry,
} from "../support/identity/rows";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
// This time is before the rows of other tests, so that none of their rows is past its retention.
const now = Date.parse("2026-06-01T12:00:00Z");

/** Runs the job as the scheduler does, without recording the run. */
function runPurge(env: IdentityBindings) {
  const identityServices = services(env, {
    requestId: "test",
    log: createLog({ service: "identity" }),
    waitUntil: () => {},
  });
  const run = { id: 0, trigger: "scheduler" as const, fence: null, startedAt: now, stopAt: Infinity, report: () => {} };
  return purgeExpiredData.run(identityServices, run, purgeExpiredData.scheduledFlags);
}

function purge(vars: Record<string, string> = {}) {
  clock.now = () => now;
  return runPurge(identityEnv(createMailbox(), vars));
}

/** Returns the sorted values of a column in the remaining rows of a company. */
async function remainingRows<T extends SQLiteTable & { company_id: Column }>(
  table: T,
  column: keyof T["$inferSelect"],
  company: number,
): Promise<unknown[]> {
  return (await readRows(table, eq(table.company_id, company))).map((row) => row[column]).sort();
}

const id = () => crypto.randomUUID();

it("deletes changes of a directory after 30 days, and SCIM tokens 30 days after they were revoked", async () => {
  const { id: company } = await createCompany();
  for (const [label, at] of [
    ["past", now - 30 * day - 1],
    ["kept", now - 30 * day],
  ] as const) {
    const change = { operation: "create" as const, resource_type: "User" as const, ok: true };
    await insertRow(scim_events, {
      company_id: company,
      id: `${idBefore(at)}-7000-8000-000000000000`,
      detail: label,
      ...change,
      created_at: at,
    });
    await insertRow(scim_tokens, {
      id: id(),
      company_id: company,
      name: label,
      token_hash: id(),
      token_prefix: "pst_",
      created_at: 1,
      revoked_at: at,
    });
  }
  await insertRow(scim_tokens, {
    id: id(),
    company_id: company,
    name: "live",
    token_hash: id(),
    token_prefix: "pst_",
    created_at: 1,
  });
  await purge();
  expect(await remainingRows(scim_events, "detail", company)).toEqual(["kept"]);
  expect(await remainingRows(scim_tokens, "name", company)).toEqual(["kept", "live"]);
});

it("deletes sign-in requests 24 hours after they expired", async () => {
  const { id: company } = await createCompany();
  for (const [label, expires_at] of [
    ["past", now - day - 1],
    ["kept", now - day],
  ] as const) {
    await insertRow(sign_in_requests, {
      id: id(),
      company_id: company,
      email: label,
      token_hash: id(),
      redirect_to: "x",
      token_delivery: "code",
      language: "en",
      created_at: 1,
      expires_at,
    });
  }
  await purge();
  expect(await remainingRows(sign_in_requests, "email", company)).toEqual(["kept"]);
});

it("deletes auth codes one hour after they expired or were used", async () => {
  const { id: company } = await createCompany();
  for (const [label, expires_at, redeemed_at] of [
    ["expired", now - hour - 1, null],
    ["used", now - hour + 2 * minute, now - hour - 1],
    ["kept", now - hour, null],
    ["kept, used", now - hour + 2 * minute, now - hour],
  ] as const) {
    await insertRow(auth_codes, {
      code_hash: id(),
      user_id: 1,
      company_id: company,
      provider: label,
      redirect_to: "x",
      redirect_key: "x",
      auth_time: 1,
      client_context: {},
      created_at: 1,
      expires_at,
      redeemed_at,
    });
  }
  await purge();
  expect(await remainingRows(auth_codes, "provider", company)).toEqual(["kept", "kept, used"]);
});

it("deletes states of provider sign-ins one hour after they expired or were used", async () => {
  const { id: company } = await createCompany();
  for (const [label, expires_at, used_at] of [
    ["expired", now - hour - 1, null],
    ["used", now - hour + 2 * minute, now - hour - 1],
    ["kept", now - hour, null],
    ["kept, used", now - hour + 2 * minute, now - hour],
  ] as const) {
    await insertRow(oauth_states, {
      state_hash: id(),
      cookie_hash: "x",
      company_id: company,
      client_id: label,
      redirect_to: "x",
      token_delivery: "code",
      sealed: "x",
      client_context: { client_timezone: "", device_hash: null },
      created_at: 1,
      expires_at,
      used_at,
    });
  }
  await purge();
  expect(await remainingRows(oauth_states, "client_id", company)).toEqual(["kept", "kept, used"]);
});

it("deletes sessions 7 days after revocation or end", async () => {
  const { id: company } = await createCompany();
  const user_id = await createUser({ email: freshEmail(), company });
  for (const [label, idle_expires_at, revoked_at] of [
    ["ended", now - 7 * day - 1, null],
    ["revoked", now + day, now - 7 * day - 1],
    ["kept, ended", now - 7 * day, null],
    ["kept, revoked", now + day, now - 7 * day],
    ["live", now + day, null],
  ] as const) {
    await insertRow(sessions, {
      id: id(),
      user_id,
      company_id: company,
      provider: label,
      auth_time: 1,
      rotated_at: 1,
      idle_expires_at,
      absolute_expires_at: now + 90 * day,
      revoked_at,
      created_at: 1,
    });
  }
  await purge();
  expect(await remainingRows(sessions, "provider", company)).toEqual(["kept, ended", "kept, revoked", "live"]);
});

it("deletes personal access tokens 30 days after expiry or revocation", async () => {
  const { id: company } = await createCompany();
  const user_id = await createUser({ email: freshEmail(), company });
  for (const [label, expires_at, revoked_at] of [
    ["expired", now - 30 * day - 1, null],
    ["revoked", now + day, now - 30 * day - 1],
    ["kept, expired", now - 30 * day, null],
    ["kept, revoked", now + day, now - 30 * day],
    ["live", now + day, null],
  ] as const) {
    await insertRow(personal_access_tokens, {
      id: id(),
      company_id: company,
      user_id,
      jti: id(),
      name: label,
      created_at: 1,
      expires_at,
      revoked_at,
    });
  }
  await purge();
  expect(await remainingRows(personal_access_tokens, "name", company)).toEqual([
    "kept, expired",
    "kept, revoked",
    "live",
  ]);
});

it("deletes finished mails after 24 hours and keeps waiting ones", async () => {
  const { id: company } = await createCompany();
  for (const [label, state, created_at] of [
    ["sent", "sent", now - day - 1],
    ["failed", "failed", now - day - 1],
    ["expired", "expired", now - day - 1],
    ["kept, sent", "sent", now - day],
    ["kept, waiting", "waiting", now - day - 1],
  ] as const) {
    await insertRow(mail_outbox, {
      id: id(),
      company_id: company,
      kind: "magic_link",
      idempotency_key: id(),
      state,
      next_at: now + day,
      deadline_at: now + day,
      request_id: label,
      created_at,
    });
  }
  await purge();
  expect(await remainingRows(mail_outbox, "request_id", company)).toEqual(["kept, sent", "kept, waiting"]);
});

const event = (company: number | null, event_type: string, created_at: number) =>
  storeEntry(company, { event_type, created_at });

it("deletes events after the retention of their company, and events without a company after the retention in the settings", async () => {
  const [week, year] = [await createCompany(), await createCompany()];
  await changeCompany(year.id, { data_retention_days: 365 });
  for (const company of [week.id, year.id]) {
    await event(company, "a week", now - 7 * day);
    await event(company, "over a week", now - 7 * day - 1);
    await event(company, "over a year", now - 365 * day - 1);
  }
  const tag = id();
  await event(null, `${tag} two days`, now - 2 * day);
  await event(null, `${tag} over two days`, now - 2 * day - 1);
  await purge({ EVENT_LOG_RETENTION_DAYS: "2" });
  expect(await remainingRows(event_log, "event_type", week.id)).toEqual(["a week"]);
  expect(await remainingRows(event_log, "event_type", year.id)).toEqual(["a week", "over a week"]);
  const platform = await readRows(event_log, and(eq(event_log.company_id, 0), like(event_log.event_type, `${tag}%`)));
  expect(platform.map(({ event_type }) => event_type)).toEqual([`${tag} two days`]);
});

it("continues over several statements and companies until nothing is past its retention", async () => {
  const [first, second] = [await createCompany(), await createCompany()];
  for (const { id: company } of [first, second]) {
    await storeEntries(company, 2500, { event_type: "old", created_at: now - 8 * day });
    await event(company, "kept", now);
  }
  expect((await purge()).events).toBeGreaterThanOrEqual(5000);
  expect(await remainingRows(event_log, "event_type", first.id)).toEqual(["kept"]);
  expect(await remainingRows(event_log, "event_type", second.id)).toEqual(["kept"]);
});

it("deletes days of last visits that no metric counts any longer, and counts a user again who returns later", async () => {
  const { id: company } = await createCompany();
  const [user, other] = [
    await createUser({ email: freshEmail(), company }),
    await createUser({ email: freshEmail(), company }),
  ];
  const setLastSeen = (userId: number, at: number) => changeMemberships(userId, { last_seen_at: at });
  const days = async () => (await readRows(company_totals, eq(company_totals.company_id, company)))[0]?.seen;
  const today = Math.floor(now / day);
  await setLastSeen(user, now - 41 * day);
  await setLastSeen(other, now - 31 * day);
  expect(await days()).toEqual({ [today - 41]: 1, [today - 31]: 1 });
  await setLastSeen(other, now);
  expect(await days()).toEqual({ [today]: 1 });
  await setLastSeen(user, now);
  expect(await days()).toEqual({ [today]: 2 });
});

it("stops after 5 minutes, and leaves the remaining rows for the next run", async () => {
  const { id: company } = await createCompany();
  await event(company, "old", now - 8 * day);
  const env = identityEnv(createMailbox());
  clock.now = () => now + 5 * minute;
  const { complete, ...counts } = await runPurge(env);
  expect([complete, ...new Set(Object.values(counts))]).toEqual([false, 0]);
  expect(await remainingRows(event_log, "event_type", company)).toEqual(["old"]);
});
