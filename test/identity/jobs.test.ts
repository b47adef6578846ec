import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JobRunRow } from "../../db/kit/jobs";
import type { ManagementLine } from "../../schemas/management";
import worker from "../../workers/identity/worker";
import { clock } from "../../workers/kit/clock";
import type { JobLock } from "../../workers/kit/jobs/lock";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  json,
  rows,
  signIn,
} from "../support/identity";
import { brokenLocks, nextTick, ownLocks, tick } from "../support/jobs";
import { createPat } from "../support/personal-access-tokens";

const OPERATOR_KEY = `opk_${"k".repeat(40)}`;
const dayMs = 86_400_000;
const systemNow = clock.now;
let told: Record<"log" | "warn" | "error", string[]> = { log: [], warn: [], error: [] };
beforeEach(() => {
  told = { log: [], warn: [], error: [] };
  for (const method of ["log", "warn", "error"] as const) {
    vi.spyOn(console, method).mockImplementation((line) => void told[method].push(String(line)));
  }
});
afterEach(() => {
  clock.now = systemNow;
  vi.restoreAllMocks();
});

const lines = (method: "log" | "warn" | "error") =>
  told[method].map((line) => JSON.parse(line) as Record<string, unknown>);

/** Lines of one message about retry_mail: other jobs of the same cron say the same of themselves. */
const isOf = (text: string) => (line: Record<string, unknown>) => line.message === text && line.job === "retry_mail";

/** Bindings with locks of the test's own, and a staff user, an owner and a member who are signed in. */
async function setUp(vars: Record<string, unknown> = {}) {
  const mailbox = createMailbox();
  const locks = await ownLocks();
  const env = { ...identityEnv(mailbox, { OPERATOR_KEY }), BROKER: locks, ...vars } as ReturnType<typeof identityEnv>;
  const company = await createCompany();
  const signedIn = identityEnv(mailbox);
  const person = async (options: Partial<Parameters<typeof createUser>[0]>) => {
    const email = freshEmail();
    const id = await createUser({ email, company: company.id, ...options });
    return { id, token: (await signIn(signedIn, mailbox, company, email)).access_token };
  };
  const staff = await person({ staff: true });
  const get = (path: string, token: string | null = staff.token) =>
    callIdentity(env, path, { headers: token === null ? {} : { authorization: `Bearer ${token}` } });
  const read = async <T = Record<string, never>>(path: string): Promise<T> => {
    const response = await get(path);
    expect(response.status).toBe(200);
    return response.json<T>();
  };
  return { env, mailbox, locks, company, person, staff, get, read };
}

const newestRun = async (job: string) =>
  (await rows<JobRunRow>("SELECT * FROM scheduled_job_runs WHERE job = ? ORDER BY id DESC LIMIT 1", job))[0];

const codeOf = async (response: Response) => [
  response.status,
  (await response.json<{ error_code: string }>()).error_code,
];

describe("the crons", () => {
  it("store the heartbeat, run their job under its lock, record it and write the event", async () => {
    const { env, locks, read } = await setUp();
    const at = clock.now();
    await tick(worker, env, "17 * * * *");
    const run = await newestRun("purge_expired_data");
    expect(run).toMatchObject({ trigger: "scheduler", status: "succeeded", lock_fence: 1 });
    const [event] = await rows<{ event_type: string }>("SELECT * FROM event_log WHERE id = ?", run?.event_log_id);
    expect(event?.event_type).toBe("identity.scheduled_job.succeeded");
    expect(lines("log").at(-1)?.message).toMatch(
      new RegExp(`^purge_expired_data: deleted events=\\d+ .*complete=true run_id=${run?.id}$`),
    );
    const beat = locks.get(locks.idFromName("identity-service:scheduler:beat"));
    const seconds = await runInDurableObject(beat, (object: JobLock) => object.lastBeat());
    expect(seconds).toBeGreaterThanOrEqual(at / 1000);
    expect(await read("/api/v1/scheduled-jobs")).toMatchObject({
      beat_last_seen_at: new Date(Math.round((seconds ?? 0) * 1000)).toISOString(),
      beat_stale: false,
      scheduler_state: "running",
    });
  });

  it("of two schedulers that fire at once, and of one that fires twice, run each job once", async () => {
    const { env, mailbox, company } = await setUp();
    // A mail that waits, so that the work of the first run lasts until the test lets it end.
    let answer = (_response: Response) => {};
    mailbox.answers.push(new Error("away"));
    const bell = { ...env, SERVICE_QUEUE: { send: async () => undefined } } as unknown as typeof env;
    const body = { company_id: company.id, email: freshEmail(), redirect_to: `${company.origin}/x` };
    await callIdentity(bell, "/api/v1/magic-link/request", json(body));
    clock.now = () => systemNow() + 3000;
    let begun = () => {};
    const atWork = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const slow = {
      ...env,
      EMAIL: {
        fetch: () => {
          begun();
          return new Promise<Response>((resolve) => {
            answer = resolve;
          });
        },
      },
    } as unknown as typeof env;
    const before = await newestRun("retry_mail");
    const scheduledTime = nextTick();
    const first = tick(worker, slow, "* * * * *", scheduledTime);
    await atWork;
    await tick(worker, env, "* * * * *", scheduledTime);
    await tick(worker, env, "* * * * *", scheduledTime + 1);
    answer(new Response(null, { status: 202 }));
    await first;
    await tick(worker, env, "* * * * *", scheduledTime);
    const made = await rows<JobRunRow>(
      "SELECT * FROM scheduled_job_runs WHERE job = 'retry_mail' AND id > ?",
      before?.id ?? 0,
    );
    expect(made.map(({ status }) => status)).toEqual(["succeeded"]);
    expect(lines("log").filter(isOf("another run is in progress"))).toHaveLength(2);
    expect(lines("log").filter(isOf("another run took this tick"))).toHaveLength(1);
  });

  it("go on without a heartbeat when the broker cannot store it, and record that it gave no lock", async () => {
    const { env } = await setUp({ BROKER: brokenLocks(false) });
    await tick(worker, env);
    expect(await newestRun("retry_mail")).toMatchObject({ status: "failed", error_key: "broker_error" });
    expect(lines("error")[0]).toMatchObject({ message: "the heartbeat was not stored" });
  });

  it("cost one query for the work when there is none, besides the two that record the run", async () => {
    const { env } = await setUp();
    for (const [cron, job] of [
      ["* * * * *", "retry_mail"],
      ["17 * * * *", "purge_expired_data"],
    ] as const) {
      // What other tests left behind is done first.
      await tick(worker, env, cron);
      let calls = 0;
      const counted = {
        ...env,
        DB: {
          withSession: (constraint: D1SessionConstraint) => {
            const session = env.DB.withSession(constraint);
            return {
              prepare: (text: string) => {
                calls += /^(?:SELECT|DELETE|UPDATE)[\s\S]*(?:mail_outbox|sessions)/.test(text) ? 1 : 0;
                return session.prepare(text);
              },
              batch: (statements: D1PreparedStatement[]) => session.batch(statements),
            };
          },
        },
      } as unknown as typeof env;
      await tick(worker, counted, cron);
      expect([job, calls, (await newestRun(job))?.status]).toEqual([job, 1, "succeeded"]);
    }
  });

  it("play a day in seconds: each tick runs once, the purge at minute 17, and what has outlived its retention goes", async () => {
    const { env } = await setUp();
    // Long before every other row of this file, which the purges of that day therefore leave alone.
    const start = Date.UTC(2020, 0, 8);
    const aged = (hours: number) => start - 7 * dayMs + hours * 3_600_000;
    for (const hours of [1, 2, 23.5]) {
      await rows(
        "INSERT INTO event_log (event_id, event_type, data, created_at) VALUES (?, 'test.aged', '{}', ?)",
        crypto.randomUUID(),
        aged(hours),
      );
    }
    const left: number[] = [];
    for (let minute = 0; minute < 24 * 60; minute++) {
      const at = start + minute * 60_000;
      clock.now = () => at + 1;
      // Every fifth minute stands for its neighbours.
      if (minute % 5 === 0) await tick(worker, env, "* * * * *", at);
      if (minute % 60 !== 17) continue;
      await tick(worker, env, "17 * * * *", at);
      left.push((await rows("SELECT id FROM event_log WHERE event_type = 'test.aged'")).length);
    }
    const made = await rows<{ job: string; n: number }>(
      `SELECT job, count(*) AS n FROM scheduled_job_runs
       WHERE started_at BETWEEN ? AND ? AND status = 'succeeded' GROUP BY job ORDER BY job`,
      start,
      start + dayMs,
    );
    expect(made).toEqual([
      { job: "purge_expired_data", n: 24 },
      { job: "retry_mail", n: 288 },
      { job: "retry_webhooks", n: 288 },
    ]);
    expect([left[0], left[1], left[2], left[22], left[23]]).toEqual([3, 2, 1, 1, 1]);
  }, 60_000);
});

describe("the staff API", () => {
  it("is for staff alone: 401 without a token, 403 for owner and member, staff tokens pass", async () => {
    const { env, company, person, staff, get } = await setUp();
    const run = await newestRun("retry_mail");
    const owner = await person({ owner: true });
    const member = await person({});
    const pat = await createPat(env, { user: staff.id, company: company.id, readOnly: true });
    const metricsPat = await createPat(env, { user: member.id, company: company.id, globalMetrics: true });
    for (const path of ["", "/retry_mail/runs", `/runs/${run?.id}`].map((end) => `/api/v1/scheduled-jobs${end}`)) {
      expect(await codeOf(await get(path, null))).toEqual([401, "unauthorized"]);
      expect(await codeOf(await get(path, owner.token))).toEqual([403, "forbidden"]);
      expect(await codeOf(await get(path, member.token))).toEqual([403, "forbidden"]);
      expect(await codeOf(await get(path, metricsPat.token))).toEqual([403, "forbidden"]);
      expect((await get(path, pat.token)).status).toBe(200);
    }
  });

  it("lists the jobs with their health, times and lock", async () => {
    const { env, locks, read } = await setUp();
    await tick(worker, env);
    await tick(worker, env, "17 * * * *");
    const run = await newestRun("retry_mail");
    const lock = locks.get(locks.idFromName("identity-service:scheduler:lock:retry_mail"));
    await lock.acquire({ token: "t", ttl_s: 60, trigger: "command", host: "w@unknown:1" });
    const list = await read<{ jobs: Record<string, unknown>[] }>("/api/v1/scheduled-jobs");
    expect(list).toMatchObject({ scheduler_enabled: true, broker_reachable: true, scheduler_state: "running" });
    expect(list.jobs.map(({ job }) => job)).toEqual(["retry_mail", "retry_webhooks", "purge_expired_data"]);
    const startedAt = new Date(run?.started_at ?? 0).toISOString();
    expect(list.jobs[0]).toEqual({
      ...{ job: "retry_mail", health: "healthy", overdue: false, interval_seconds: 60, overdue_after_seconds: 180 },
      last_run: {
        ...{ id: run?.id, job: "retry_mail", trigger: "scheduler", status: "succeeded", started_at: startedAt },
        finished_at: new Date(run?.finished_at ?? 0).toISOString(),
        duration_ms: run?.duration_ms,
        counts: { mails_attempted: expect.any(Number), mails_expired: expect.any(Number) },
        ...{ error_key: null, error_class: null, error_message: null, host: run?.host },
        ...{ request_id: `sjr-${run?.id}`, event_log_id: run?.event_log_id },
      },
      last_success_at: new Date(run?.finished_at ?? 0).toISOString(),
      last_failure_at: expect.toSatisfy((value) => value === null || typeof value === "string"),
      last_skipped_at: expect.toSatisfy((value) => value === null || typeof value === "string"),
      last_duration_ms: run?.duration_ms,
      last_counts: expect.any(Object),
      next_expected_at: new Date((run?.started_at ?? 0) + 60_000).toISOString(),
      last_24h: { succeeded: expect.any(Number), failed: expect.any(Number) },
      skipped_locked_total: expect.any(Number),
      lock: {
        ...{ held: true, trigger: "command", host: "w@unknown:1" },
        acquired_at: expect.any(String),
        expires_at: expect.any(String),
      },
    });
    expect(list.jobs[2]).toMatchObject({ lock: null, next_expected_at: expect.stringMatching(/:17:00\.000Z$/) });
  });

  it("tells a broker that is away from one that is not bound", async () => {
    const { read } = await setUp();
    const away = await setUp({ BROKER: brokenLocks(false) });
    expect(await away.read("/api/v1/scheduled-jobs")).toMatchObject({
      ...{ broker_reachable: false, beat_last_seen_at: null, beat_stale: true, scheduler_state: "stale" },
    });
    const unbound = await setUp({ BROKER: undefined });
    expect(await unbound.read("/api/v1/scheduled-jobs")).toMatchObject({
      ...{ broker_reachable: null, beat_stale: true, scheduler_state: "no_broker" },
    });
    const off = await setUp({ SCHEDULER_ENABLED: "false" });
    expect(await off.read("/api/v1/scheduled-jobs")).toMatchObject({
      ...{ scheduler_enabled: false, beat_stale: false, scheduler_state: "disabled" },
    });
    expect(await read("/api/v1/scheduled-jobs")).toMatchObject({ beat_stale: true, scheduler_state: "stale" });
  });

  it("pages runs newest first, by status, and refuses bad queries", async () => {
    const { env, get, read } = await setUp();
    for (let n = 0; n < 3; n++) await tick(worker, env);
    type Page = { job: string; results: { id: number; status: string }[]; next_cursor: string | null };
    const path = "/api/v1/scheduled-jobs/retry_mail/runs";
    const first = await read<Page>(`${path}?limit=2`);
    const second = await read<Page>(`${path}?limit=2&cursor=${first.next_cursor}`);
    const ids = [...first.results, ...second.results].map(({ id }) => id);
    expect(first.job).toBe("retry_mail");
    expect(ids).toHaveLength(4);
    expect([...ids].sort((a, b) => b - a)).toEqual(ids);
    const failed = await read<Page>(`${path}?status=failed`);
    expect(failed.results.length).toBeGreaterThan(0);
    expect(failed.results.every(({ status }) => status === "failed")).toBe(true);
    const refused = async (query: string) => {
      const response = await get(`${path}?${query}`);
      return [response.status, (await response.json<{ field_errors: unknown }>()).field_errors];
    };
    expect(await refused("limit=0")).toEqual([400, { limit: ["out_of_range"] }]);
    expect(await refused("limit=101")).toEqual([400, { limit: ["out_of_range"] }]);
    expect(await refused("limit=two")).toEqual([400, { limit: ["invalid"] }]);
    expect(await refused("status=done")).toEqual([400, { status: ["invalid"] }]);
    expect(await refused("cursor=x")).toEqual([400, { cursor: ["invalid"] }]);
    expect(await codeOf(await get("/api/v1/scheduled-jobs/unknown/runs"))).toEqual([404, "not_found"]);
  });

  it("shows one run, and 404 for another id", async () => {
    const { env, get, read } = await setUp();
    await tick(worker, env);
    const run = await newestRun("retry_mail");
    expect(await read(`/api/v1/scheduled-jobs/runs/${run?.id}`)).toMatchObject({
      ...{ id: run?.id, request_id: `sjr-${run?.id}`, webhook_delivery_attempts: [], email_events: [] },
      ...{ webhook_delivery_attempts_truncated: false, email_events_truncated: false },
    });
    for (const id of ["999999999", "x", "0", "runs"]) {
      expect(await codeOf(await get(`/api/v1/scheduled-jobs/runs/${id}`))).toEqual([404, "not_found"]);
    }
  });

  it("stands in metrics/all, every job, status and kind from the first scrape", async () => {
    const { env, get } = await setUp();
    await tick(worker, env);
    const run = await newestRun("retry_mail");
    const text = await (await get("/api/v1/metrics/all")).text();
    for (const line of [
      /^platform_auth_scheduled_job_runs_total\{job="purge_expired_data",status="skipped_locked"\} \d+$/m,
      /^platform_auth_scheduled_job_items_total\{job="purge_expired_data",kind="personal_access_tokens"\} \d+$/m,
      new RegExp(
        `^platform_auth_scheduled_job_last_run_timestamp_seconds\\{job="retry_mail"\\} ${Math.floor((run?.started_at ?? 0) / 1000)}$`,
        "m",
      ),
      /^platform_auth_scheduled_job_overdue\{job="retry_mail"\} 0$/m,
      /^platform_auth_scheduler_enabled 1$/m,
      /^platform_auth_scheduler_broker_up 1$/m,
      /^platform_auth_scheduler_beat_last_seen_timestamp_seconds \d+$/m,
    ]) {
      expect(text).toMatch(line);
    }
    const company = await (await get("/api/v1/metrics")).text();
    expect(company).not.toContain("scheduled_job");
  });
});

describe("the commands", () => {
  const run = async (
    env: Awaited<ReturnType<typeof setUp>>["env"],
    command: string,
    flags: unknown,
    bearer = OPERATOR_KEY,
  ) => {
    const headers = { authorization: `Bearer ${bearer}` };
    const response = await callIdentity(env, `/api/v1/management/${command}`, json({ flags }, headers));
    const text = new TextDecoder().decode(await response.arrayBuffer()).trim();
    return { status: response.status, lines: text.split("\n").map((line) => JSON.parse(line) as ManagementLine) };
  };

  it("run the same job with trigger command, by operator key and by staff, and name the run at once", async () => {
    const { env, staff } = await setUp();
    for (const bearer of [OPERATOR_KEY, staff.token]) {
      const { lines: found } = await run(env, "purge_expired_data", { batch_size: 10 }, bearer);
      const made = await newestRun("purge_expired_data");
      expect(made).toMatchObject({ trigger: "command", status: "succeeded" });
      expect(found[0]).toEqual({ type: "start", command: "purge_expired_data", run_id: made?.id });
      expect(found.at(-1)).toMatchObject({
        ...{ type: "result", exit_code: 0, run_id: made?.id },
        line: expect.stringMatching(
          new RegExp(
            `^purge_expired_data: deleted events=\\d+ webhook_deliveries=\\d+ email_events=\\d+ scheduled_job_runs=\\d+ .* complete=true run_id=${made?.id}$`,
          ),
        ),
        counts: expect.objectContaining({ complete: true }),
      });
      expect(lines("log").map(({ message }) => message)).toContain(
        found.at(-1)?.type === "result" ? (found.at(-1) as { line: string }).line : "",
      );
    }
  });

  it("count in a dry run, change and record nothing", async () => {
    const { env } = await setUp();
    const before = await newestRun("purge_expired_data");
    const eventId = crypto.randomUUID();
    await rows(
      "INSERT INTO event_log (event_id, event_type, data, created_at) VALUES (?, 'test.old', '{}', ?)",
      eventId,
      clock.now() - 8 * dayMs,
    );
    const { lines: found } = await run(env, "purge_expired_data", { dry_run: true });
    expect(found).toEqual([
      { type: "start", command: "purge_expired_data", run_id: null },
      {
        ...{
          type: "result",
          exit_code: 0,
          run_id: null,
          counts: expect.objectContaining({ events: expect.any(Number) }),
        },
        line: expect.stringMatching(
          /^purge_expired_data: would delete events=[1-9]\d* webhook_deliveries=\d+ email_events=\d+ scheduled_job_runs=\d+/,
        ),
      },
    ]);
    expect(await rows("SELECT id FROM event_log WHERE event_id = ?", eventId)).toHaveLength(1);
    expect((await newestRun("purge_expired_data"))?.id).toBe(before?.id);
    await run(env, "purge_expired_data", {});
    expect(await rows("SELECT id FROM event_log WHERE event_id = ?", eventId)).toHaveLength(0);
  });

  it("skip a job that runs, and run it all the same without the lock", async () => {
    const { env, locks } = await setUp();
    const lock = locks.get(locks.idFromName("identity-service:scheduler:lock:retry_mail"));
    await lock.acquire({ token: "t", ttl_s: 60, trigger: "scheduler", host: "w@unknown:1" });
    const { lines: skipped } = await run(env, "retry_mail", {});
    expect(skipped).toEqual([
      { type: "start", command: "retry_mail", run_id: null },
      {
        ...{ type: "result", exit_code: 0, run_id: null, counts: {} },
        line: "retry_mail: skipped, another run is in progress",
      },
    ]);
    const { lines: forced } = await run(env, "retry_mail", { no_lock: true });
    const made = await newestRun("retry_mail");
    expect(made).toMatchObject({ trigger: "command", lock_fence: null });
    expect(forced.at(-1)).toMatchObject({ type: "result", run_id: made?.id });
  });

  it("end with one error line that names the run which failed", async () => {
    const { env } = await setUp({ BROKER: brokenLocks(false) });
    const { lines: found } = await run(env, "purge_expired_data", {});
    const made = await newestRun("purge_expired_data");
    expect(found).toEqual([
      { type: "start", command: "purge_expired_data", run_id: made?.id },
      {
        ...{ type: "error", exit_code: 1, run_id: made?.id },
        line: `CommandError: purge_expired_data failed: BrokerError: the lock object did not answer acquire (run_id=${made?.id})`,
      },
    ]);
  });

  it("stop early at their limits: complete=false, and the next run goes on", async () => {
    const { env } = await setUp();
    const at = clock.now() - 9 * dayMs;
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 950)
       INSERT INTO event_log (event_id, event_type, data, created_at)
       SELECT lower(hex(randomblob(16))), 'test.many', '{}', ?1 + i FROM n`,
      at,
    );
    const { lines: found } = await run(env, "purge_expired_data", { batch_size: 1 });
    expect(found.at(-1)).toMatchObject({
      counts: expect.objectContaining({ events: 900, scheduled_job_runs: 0, complete: false }),
    });
    expect(await rows("SELECT id FROM event_log WHERE event_type = 'test.many'")).toHaveLength(50);
    const { lines: rest } = await run(env, "purge_expired_data", {});
    expect(rest.at(-1)).toMatchObject({ counts: expect.objectContaining({ events: 50, complete: true }) });
  });
});

describe("the settings", () => {
  const call = (env: ReturnType<typeof identityEnv>, path = "/api/v1/health") => callIdentity(env, path);
  const live = { DEBUG: "false", JWT_ISSUER: "https://auth.example.com", AUTH_RATE_LIMIT_MAGIC_LINK: "10/min" };

  it.each([
    ["BROKER", { BROKER: undefined }],
    ["the queue", { SERVICE_QUEUE: undefined }],
    ["BROKER, and the scheduler is off", { BROKER: undefined, SCHEDULER_ENABLED: "false" }],
  ])("refuse everything without %s and without DEBUG, and say so once", async (_what, vars) => {
    const { env: base, locks } = await setUp();
    const env = { ...base, ...live, JOBS_BROKER: locks, ...vars } as typeof base;
    const before = await newestRun("retry_mail");
    for (const path of ["/api/v1/health", "/api/v1/scheduled-jobs", "/nowhere"]) {
      expect(await codeOf(await call(env, path))).toEqual([503, "service_unavailable"]);
    }
    await tick(worker, env);
    let retried = 0;
    const batch = { messages: [{ body: {} }], retryAll: () => (retried += 1) };
    await worker.queue(batch as never, env, { waitUntil: () => undefined } as never);
    expect(retried).toBe(1);
    expect((await newestRun("retry_mail"))?.id).toBe(before?.id);
    const said = lines("error").filter(({ message }) => String(message).includes("BROKER"));
    expect(said.map(({ message }) => message)).toEqual(["BROKER_URL is required when DEBUG is false"]);
  });

  it("run no job without a broker under DEBUG, warn once, and answer requests", async () => {
    const { env: base } = await setUp();
    const env = { ...base, BROKER: undefined } as typeof base;
    const before = await newestRun("retry_mail");
    await tick(worker, env);
    expect((await call(env)).status).toBe(200);
    await tick(worker, env);
    expect((await newestRun("retry_mail"))?.id).toBe(before?.id);
    const said = lines("warn").filter(({ message }) => String(message).includes("BROKER"));
    expect(said.map(({ message }) => message)).toEqual(["BROKER_URL is not set, scheduled jobs do not run"]);
  });

  it("take JOBS_BROKER for locks and heartbeat, alone only under DEBUG", async () => {
    const { env: base, locks, read } = await setUp();
    const alone = { ...base, BROKER: undefined, JOBS_BROKER: locks } as typeof base;
    const before = await newestRun("retry_mail");
    await tick(worker, alone);
    const made = await newestRun("retry_mail");
    expect(made?.id).toBeGreaterThan(before?.id ?? 0);
    expect(made).toMatchObject({ status: "succeeded", lock_fence: 1 });
    await tick(worker, { ...base, BROKER: brokenLocks(false), JOBS_BROKER: locks } as typeof base);
    expect(await newestRun("retry_mail")).toMatchObject({ status: "succeeded", lock_fence: 2 });
    expect(await read("/api/v1/scheduled-jobs")).toMatchObject({ beat_stale: false });
  });

  it("do nothing on a cron when SCHEDULER_ENABLED is false", async () => {
    const { env, locks } = await setUp({ SCHEDULER_ENABLED: "false" });
    const before = await newestRun("retry_mail");
    await tick(worker, env);
    expect((await newestRun("retry_mail"))?.id).toBe(before?.id);
    const beat = locks.get(locks.idFromName("identity-service:scheduler:beat"));
    expect(await runInDurableObject(beat, (object: JobLock) => object.lastBeat())).toBeNull();
  });

  it.each([
    [{ JOBS_WORKER_CONCURRENCY: "9" }, "invalid setting: JOBS_WORKER_CONCURRENCY, allowed: an integer from 1 to 8"],
    [{ SCHEDULER_ENABLED: "perhaps" }, "invalid setting: SCHEDULER_ENABLED, allowed: true or false"],
    [{ ERROR_REPORTING_DSN: "nowhere" }, "invalid setting: ERROR_REPORTING_DSN, allowed: an http or https URL"],
  ])("that cannot be read refuse the service and name themselves: %j", async (vars, message) => {
    const { env: base } = await setUp();
    const env = { ...base, ...vars } as typeof base;
    expect((await call(env)).status).toBe(503);
    expect((await call(env, "/api/v1/scheduled-jobs")).status).toBe(503);
    await tick(worker, env);
    expect(lines("error").filter((line) => line.message === message)).toHaveLength(1);
  });
});
