import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { mail_outbox, personal_access_tokens, scheduled_job_states, sessions } from "../../../db/identity/schema";
import { periodStarts } from "../../../workers/identity/records/metrics/metrics";
import { clock } from "../../../workers/kit/clock";
import { countRoundTrips } from "../../support/db/counted-database";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  signIn,
} from "../../support/identity/identity";
import { createPat, signClaims } from "../../support/identity/personal-access-tokens";
import {
  changeMemberships,
  changeUser,
  insertRow,
  readRows,
  storeCounts,
  storeIdentity,
  storeMembers,
  storeMembership,
  updateRows,
} from "../../support/identity/rows";

const systemNow = clock.now;
afterEach(() => {
  clock.now = systemNow;
  vi.restoreAllMocks();
});

const dayMs = 86_400_000;
const parseTime = (iso: string) => Date.parse(iso);

/** Creates a company with a signed-in owner, member and staff user. */
async function setUp() {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  const user = async (options: Partial<Parameters<typeof createUser>[0]>) => {
    const email = freshEmail();
    const id = await createUser({ email, company: company.id, ...options });
    return { id, token: (await signIn(env, mailbox, company, email)).access_token };
  };
  const [owner, member, staff] = [await user({ owner: true }), await user({}), await user({ staff: true })];
  const get = (path: string, token: string | null, headers: Record<string, string> = {}) =>
    callIdentity(env, path, { headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers } });
  const code = async (path: string, token: string | null) => {
    const response = await get(path, token);
    return [
      response.status,
      response.status === 200 ? null : (await response.json<{ error_code: string }>()).error_code,
    ];
  };
  return { env, company, owner, member, staff, get, code };
}

/** Returns the values of a metrics response by series name with labels. */
async function read(response: Response): Promise<Record<string, number>> {
  expect(response.status).toBe(200);
  const lines = (await response.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
}

const company = "/api/v1/metrics";
const all = "/api/v1/metrics/all";

describe("metrics of a company", () => {
  it("contains members, identities, active users and stored totals of the company, and nothing of other companies", async () => {
    const { company: testCompany, owner, get } = await setUp();
    const other = await createCompany();
    await createUser({ email: freshEmail(), company: other.id });
    await createUser({ email: freshEmail(), company: testCompany.id, state: "pending" });
    await storeIdentity({ id: owner.id, email: "x" });
    await storeCounts(testCompany.id, { "successful_logins:google": 5 });
    const label = `{company_id="${testCompany.id}"}`;
    const series = await read(await get(company, owner.token));
    // test/kit/webhooks/metrics.test.ts tests the webhook series.
    const testUsers = Object.fromEntries(Object.entries(series).filter(([name]) => !name.includes("_webhook_")));
    expect(testUsers).toEqual({
      [`platform_auth_company_users_total${label}`]: 4,
      [`platform_auth_company_users_active${label}`]: 3,
      [`platform_auth_company_users_staff${label}`]: 1,
      [`platform_auth_company_social_accounts_total${label}`]: 1,
      [`platform_auth_company_daily_active_users${label}`]: 3,
      [`platform_auth_company_weekly_active_users${label}`]: 3,
      [`platform_auth_company_monthly_active_users${label}`]: 3,
      [`platform_auth_successful_logins_total{company_id="${testCompany.id}",provider="google"}`]: 5,
      [`platform_auth_successful_logins_total{company_id="${testCompany.id}",provider="magic_link"}`]: 3,
      [`platform_auth_magic_links_requested_total${label}`]: 3,
      [`platform_auth_magic_links_consumed_total${label}`]: 3,
    });
  });

  it("counts users seen since the start of the UTC day, the ISO week and the month", async () => {
    clock.now = () => parseTime("2027-03-17T12:00:00Z");
    const { company: testCompany, owner, get } = await setUp();
    for (const lastSeen of [
      "2027-03-17T00:00:00.000Z",
      "2027-03-16T23:59:59.999Z",
      "2027-03-15T00:00:00.000Z",
      "2027-03-14T23:59:59.999Z",
      "2027-03-01T00:00:00.000Z",
      "2027-02-28T23:59:59.999Z",
    ]) {
      const id = await createUser({ email: freshEmail(), company: testCompany.id });
      await changeMemberships(id, { last_seen_at: parseTime(lastSeen) });
    }
    const series = await read(await get(company, owner.token));
    const active = (period: string) =>
      series[`platform_auth_company_${period}_active_users{company_id="${testCompany.id}"}`];
    // The three users of setUp have just signed in.
    expect([active("daily"), active("weekly"), active("monthly")]).toEqual([4, 6, 8]);
  });

  it("starts a week on Monday, even when that Monday is in the previous month", () => {
    const days = (iso: string) =>
      Object.values(periodStarts(parseTime(iso))).map((day) => new Date(day * dayMs).toISOString().slice(0, 10));
    expect(days("2027-04-01T00:00:00Z")).toEqual(["2027-04-01", "2027-03-29", "2027-04-01"]);
    expect(days("2027-03-15T23:59:59Z")).toEqual(["2027-03-15", "2027-03-15", "2027-03-01"]);
    expect(days("2027-03-14T00:00:00Z")).toEqual(["2027-03-14", "2027-03-08", "2027-03-01"]);
    expect(days("2024-02-29T12:00:00Z")).toEqual(["2024-02-29", "2024-02-26", "2024-02-01"]);
  });

  it("admits owners and staff with sessions, tokens and read-only tokens", async () => {
    const { env, company: testCompany, owner, member, staff, code } = await setUp();
    const pat = async (user: number, readOnly: boolean) =>
      (await createPat(env, { user, company: testCompany.id, readOnly })).token;
    for (const token of [owner.token, staff.token, await pat(owner.id, true), await pat(staff.id, false)]) {
      expect(await code(company, token)).toEqual([200, null]);
    }
    const global = await createPat(env, {
      user: member.id,
      company: testCompany.id,
      globalMetrics: true,
      setBy: staff.id,
    });
    for (const token of [member.token, await pat(member.id, false), global.token]) {
      expect(await code(company, token)).toEqual([403, "forbidden"]);
    }
    expect(await code(company, null)).toEqual([401, "unauthorized"]);
    expect(await code(company, "nonsense")).toEqual([401, "token_invalid"]);
  });

  it("rejects company_id from every caller before the role check, whether or not the company matches", async () => {
    const { company: testCompany, owner, member, staff, code } = await setUp();
    for (const token of [owner.token, member.token, staff.token]) {
      for (const value of [testCompany.id, testCompany.id + 1, "abc", ""]) {
        expect(await code(`${company}?company_id=${value}`, token)).toEqual([400, "company_id_not_allowed"]);
      }
    }
    expect(await code(`${company}?company_id=${testCompany.id}`, null)).toEqual([401, "unauthorized"]);
  });

  it("requires a token with a company, even for the metrics of all companies", async () => {
    const { env, owner, code } = await setUp();
    const [session] = await readRows(sessions, eq(sessions.user_id, owner.id));
    const token = await signClaims(env, { sub: String(owner.id), sid: session?.id ?? "", auth_time: 1 });
    expect(await code(company, token)).toEqual([401, "token_invalid"]);
    expect(await code(all, token)).toEqual([401, "token_invalid"]);
  });

  it.each(["POST", "PUT", "PATCH", "DELETE", "HEAD"])(
    "returns 405 for %s, even for the metrics of all companies",
    async (method) => {
      const { env, staff } = await setUp();
      for (const path of [company, all, `${company}/`]) {
        const headers = { authorization: `Bearer ${staff.token}` };
        const response = await callIdentity(env, path, { method, headers });
        expect([response.status, response.headers.get("allow")]).toEqual([405, "GET"]);
      }
    },
  );
});

describe("metrics over all companies", () => {
  it("contains users, identities, active users, waiting mails and the stored totals by company", async () => {
    const { company: testCompany, staff, get } = await setUp();
    const before = await read(await get(all, staff.token));
    const user = await createUser({ email: freshEmail(), company: testCompany.id, staff: true });
    await createUser({ email: freshEmail(), active: false });
    const other = await createCompany();
    await storeMembership(other.id, user, { state_reason: "admin" });
    await changeMemberships(user, { last_seen_at: clock.now() });
    await storeCounts(other.id, { "successful_logins:github": 2 });
    const id = crypto.randomUUID();
    await insertRow(mail_outbox, {
      id,
      company_id: other.id,
      kind: "magic_link",
      idempotency_key: id,
      state: "waiting",
      request_id: "r",
      next_at: 1,
      deadline_at: 2,
      created_at: 1,
    });
    const after = await read(await get(all, staff.token));
    const increase = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
    expect({
      users: increase("platform_auth_users_total"),
      active: increase("platform_auth_users_active"),
      staff: increase("platform_auth_users_staff"),
      identities: increase("platform_auth_social_accounts_total"),
      daily: increase("platform_auth_daily_active_users"),
      weekly: increase("platform_auth_weekly_active_users"),
      monthly: increase("platform_auth_monthly_active_users"),
      mail: increase("platform_auth_mail_outbox_pending"),
    }).toEqual({ users: 2, active: 1, staff: 1, identities: 0, daily: 1, weekly: 1, monthly: 1, mail: 1 });
    expect(after[`platform_auth_successful_logins_total{company_id="${other.id}",provider="github"}`]).toBe(2);
    expect(after[`platform_auth_magic_links_requested_total{company_id="${testCompany.id}"}`]).toBe(3);
    expect(Object.keys(after).filter((name) => name.includes("_company_"))).toEqual([]);
  });

  it("contains every series of all companies, with sorted labels and integer values", async () => {
    const { company: testCompany, staff, get } = await setUp();
    const lastRun = { last_started_at: 7400, last_success_at: 9000, last_duration_ms: 1600 };
    await updateRows(scheduled_job_states, lastRun, eq(scheduled_job_states.job, "retry_mail"));
    const metrics = await read(await get(all, staff.token));
    const names = new Set(Object.keys(metrics).map((series) => series.replace(/\{.*/, "")));
    const testUsers = ["daily_active_users", "weekly_active_users", "monthly_active_users", "social_accounts_total"];
    const jobs = ["runs_total", "items_total", "last_success_timestamp_seconds", "last_run_timestamp_seconds"];
    expect(
      [
        "users_total",
        "users_active",
        "users_staff",
        ...testUsers,
        "successful_logins_total",
        "magic_links_requested_total",
        "magic_links_consumed_total",
        "mail_outbox_pending",
        "scheduler_enabled",
        ...[...jobs, "last_run_duration_seconds", "overdue"].map((name) => `scheduled_job_${name}`),
      ].filter((name) => !names.has(`platform_auth_${name}`)),
    ).toEqual([]);
    for (const series of Object.keys(metrics)) {
      const labels = [...series.matchAll(/([a-z_]+)="/g)].map(([, label]) => label);
      expect([...labels].sort(), series).toEqual(labels);
    }
    expect(Object.entries(metrics).filter(([, value]) => !Number.isInteger(value))).toEqual([]);
    const job = (name: string) => metrics[`platform_auth_scheduled_job_${name}{job="retry_mail"}`];
    expect([job("last_run_duration_seconds"), job("last_run_timestamp_seconds")]).toEqual([2, 7]);
    expect(job("last_success_timestamp_seconds")).toBe(9);
    expect(metrics[`platform_auth_magic_links_consumed_total{company_id="${testCompany.id}"}`]).toBe(3);
  });

  it("admits staff with a session, and tokens with an active permission for global metrics", async () => {
    const { env, company: testCompany, owner, member, staff, code } = await setUp();
    const pat = (options: Partial<Parameters<typeof createPat>[1]>, claims = {}) =>
      createPat(env, { user: member.id, company: testCompany.id, setBy: staff.id, ...options }, claims);
    expect(await code(all, staff.token)).toEqual([200, null]);
    const flagged = await pat({ globalMetrics: true });
    expect(await code(all, flagged.token)).toEqual([200, null]);
    expect(await code(all, (await pat({ globalMetrics: true, readOnly: true })).token)).toEqual([200, null]);
    for (const token of [
      owner.token,
      member.token,
      (await pat({ user: staff.id })).token,
      // The flag is only in the row, only in the token, or was set by a user who is not active staff.
      (await pat({ globalMetrics: true }, { pat_agm: false })).token,
      (await pat({}, { pat_agm: true })).token,
      (await pat({ globalMetrics: true, setBy: owner.id })).token,
    ]) {
      expect(await code(all, token)).toEqual([403, "forbidden"]);
    }
    const isFlagged = eq(personal_access_tokens.id, flagged.id);
    await updateRows(personal_access_tokens, { access_global_metrics: false }, isFlagged);
    expect(await code(all, flagged.token)).toEqual([403, "forbidden"]);
    expect(await code("/api/v1/user", flagged.token)).toEqual([200, null]);
    await updateRows(personal_access_tokens, { access_global_metrics: true }, isFlagged);
    await changeUser(staff.id, { is_staff: false });
    expect(await code(all, flagged.token)).toEqual([403, "forbidden"]);
    expect(await code(all, staff.token)).toEqual([403, "forbidden"]);
    expect(await code(all, null)).toEqual([401, "unauthorized"]);
  });

  it("ignores company_id for the metrics of all companies", async () => {
    const { staff, code } = await setUp();
    expect(await code(`${all}?company_id=abc`, staff.token)).toEqual([200, null]);
  });
});

describe("metrics scrapes", () => {
  it("returns text by default, OpenMetrics when Accept prefers it, and errors as JSON", async () => {
    const { owner, member, get } = await setUp();
    const types = await Promise.all(
      ["application/json", "application/openmetrics-text", "text/plain"].map(async (accept) => {
        const response = await get(company, owner.token, { accept });
        return [response.headers.get("content-type"), (await response.text()).endsWith("# EOF\n")];
      }),
    );
    expect(types).toEqual([
      ["text/plain; version=0.0.4; charset=utf-8", false],
      ["application/openmetrics-text; version=1.0.0; charset=utf-8", true],
      ["text/plain; version=0.0.4; charset=utf-8", false],
    ]);
    const response = await get(company, member.token, { accept: "application/openmetrics-text" });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it("makes one round trip of at most 8 statements, including the credential check", async () => {
    const { env, owner, staff } = await setUp();
    for (const [path, { token }] of [
      [company, owner],
      [all, staff],
    ] as const) {
      const counted = countRoundTrips(env.DB);
      const headers = { authorization: `Bearer ${token}` };
      expect((await callIdentity({ ...env, DB: counted.db }, path, { headers })).status).toBe(200);
      expect([counted.count(), counted.largestBatch() <= 8], path).toEqual([1, true]);
    }
  });

  it("makes one round trip and reads as many rows with 100 members as with 20,000", async () => {
    const { company: testCompany, owner, staff, get } = await setUp();
    const lines: { route: string; db_rows_read: number; db_round_trips: number }[] = [];
    vi.spyOn(console, "log").mockImplementation((line: string) => {
      const entry = JSON.parse(line);
      if (entry.message === "request") lines.push(entry);
    });
    const costs = async () => {
      lines.length = 0;
      await get(company, owner.token);
      await get(all, staff.token);
      return lines.map(({ route, db_rows_read, db_round_trips }) => ({ route, db_rows_read, db_round_trips }));
    };
    await storeMembers(testCompany.id, 100, clock.now());
    const costWithFew = await costs();
    await storeMembers(testCompany.id, 19_900, clock.now());
    const costWithMany = await costs();
    expect(costWithMany).toEqual(costWithFew);
    expect(costWithMany.map((line) => line.db_round_trips)).toEqual([1, 1]);
    expect(costWithFew[0]?.db_rows_read).toBeLessThan(40);
    const series = await read(await get(company, owner.token));
    expect(series[`platform_auth_company_users_total{company_id="${testCompany.id}"}`]).toBe(20_003);
    expect(series[`platform_auth_company_daily_active_users{company_id="${testCompany.id}"}`]).toBe(20_003);
  }, 60_000);
});
