import { runInDurableObject } from "cloudflare:test";
import { between, count, eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { scheduled_job_runs } from "../../../db/kit/jobs";
import { event_log } from "../../../db/kit/webhooks";
import worker from "../../../workers/identity/worker";
import { clock } from "../../../workers/kit/clock";
import type { JobLock } from "../../../workers/kit/jobs/lock/job-lock";
import { isNumbered } from "../../support/db/event-ids";
import { callIdentity, freshEmail, type identityEnv, json } from "../../support/identity/identity";
import { codeOf, holdConsole, setUpJobs } from "../../support/jobs/identity-jobs";
import { brokenLocks, nextTick, tick } from "../../support/jobs/jobs";
import { newestRun, runsOf } from "../../support/jobs/rows";
import { restoreAfterEach } from "../../support/restore";
import { db, eventsWhere, insertEvent } from "../../support/webhooks/rows";

const dayMs = 86_400_000;
const lines = holdConsole();
restoreAfterEach();

/** Returns a predicate for log lines with this message about the job retry_mail. Other jobs run in the same cron. */
const isRetryLine = (text: string) => (line: Record<string, unknown>) =>
  line.message === text && line.job === "retry_mail";

describe("scheduled crons", () => {
  it("store the heartbeat, run their job under its lock, record the run and write its event", async () => {
    const { env, locks, read } = await setUpJobs();
    const at = clock.now();
    await tick(worker, env, "17 * * * *");
    const run = await newestRun("purge_expired_data");
    expect(run).toMatchObject({ trigger: "scheduler", status: "succeeded", lock_fence: 1 });
    const [event] = await eventsWhere(isNumbered(run?.event_log_id));
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

  it("run each job once when two schedulers fire at the same time or one fires twice", async () => {
    const { env, mailbox, company } = await setUpJobs();
    // A waiting mail keeps the first run busy until the test responds.
    let respond = (_response: Response) => {};
    mailbox.answers.push(new Error("unavailable"));
    const withSilentQueue = { ...env, SERVICE_QUEUE: { send: async () => undefined } } as unknown as typeof env;
    const body = { company_id: company.id, email: freshEmail(), redirect_to: `${company.origin}/x` };
    await callIdentity(withSilentQueue, "/api/v1/magic-link/request", json(body));
    clock.now = () => Date.now() + 3000;
    let reportStart = () => {};
    const started = new Promise<void>((resolve) => {
      reportStart = resolve;
    });
    const slow = {
      ...env,
      EMAIL: {
        fetch: () => {
          reportStart();
          return new Promise<Response>((resolve) => {
            respond = resolve;
          });
        },
      },
    } as unknown as typeof env;
    const before = await newestRun("retry_mail");
    const scheduledTime = nextTick();
    const first = tick(worker, slow, "* * * * *", scheduledTime);
    await started;
    await tick(worker, env, "* * * * *", scheduledTime);
    await tick(worker, env, "* * * * *", scheduledTime + 1);
    respond(new Response(null, { status: 202 }));
    await first;
    await tick(worker, env, "* * * * *", scheduledTime);
    const newRuns = (await runsOf("retry_mail")).filter(({ id }) => id > (before?.id ?? 0));
    expect(newRuns.map(({ status }) => status)).toEqual(["succeeded"]);
    expect(lines("log").filter(isRetryLine("another run is in progress"))).toHaveLength(2);
    expect(lines("log").filter(isRetryLine("another run took this tick"))).toHaveLength(1);
  });

  it("log an error when the broker cannot store the heartbeat, and record the run without its lock as failed", async () => {
    const { env } = await setUpJobs({ BROKER: brokenLocks(false) });
    await tick(worker, env);
    expect(await newestRun("retry_mail")).toMatchObject({ status: "failed", error_key: "broker_error" });
    expect(lines("error")[0]).toMatchObject({ message: "the heartbeat was not stored" });
  });

  it("run one query when there is no work, in addition to the two that record the run", async () => {
    const { env } = await setUpJobs();
    for (const [cron, job] of [
      ["* * * * *", "retry_mail"],
      ["17 * * * *", "purge_expired_data"],
    ] as const) {
      // The first run handles the rows that other tests left.
      await tick(worker, env, cron);
      const statements: string[] = [];
      const counted = {
        ...env,
        DB: {
          withSession: (constraint: D1SessionConstraint) => {
            const session = env.DB.withSession(constraint);
            return {
              prepare: (text: string) => {
                if (/^(?:select|delete|update)[\s\S]*(?:mail_outbox|sessions)/i.test(text)) statements.push(text);
                return session.prepare(text);
              },
              batch: (statements: D1PreparedStatement[]) => session.batch(statements),
            };
          },
        },
      } as unknown as typeof env;
      await tick(worker, counted, cron);
      expect([job, new Set(statements).size, (await newestRun(job))?.status]).toEqual([job, 1, "succeeded"]);
    }
  });

  it("run each tick once over a day, purge at minute 17, and delete rows past their retention", async () => {
    const { env } = await setUpJobs();
    // On a busy machine, a call to a lock object may take longer than its timeout, which fails the run.
    const { setTimeout } = globalThis;
    vi.stubGlobal("setTimeout", (run: () => void, ms = 0) => setTimeout(run, ms < 1000 ? ms : 2 ** 31 - 1));
    // This day is before every other row of the file, so that its purges delete only the rows of this test.
    const start = Date.UTC(2020, 0, 8);
    const timeAfter = (hours: number) => start - 7 * dayMs + hours * 3_600_000;
    for (const hours of [1, 2, 23.5]) {
      await insertEvent({ company_id: 0, event_type: "test.aged", created_at: timeAfter(hours) });
    }
    const remaining: number[] = [];
    for (let minute = 0; minute < 24 * 60; minute++) {
      const at = start + minute * 60_000;
      clock.now = () => at + 1;
      // To save time, only every fifth minute runs.
      if (minute % 5 === 0) await tick(worker, env, "* * * * *", at);
      if (minute % 60 !== 17) continue;
      await tick(worker, env, "17 * * * *", at);
      remaining.push((await eventsWhere(eq(event_log.event_type, "test.aged"))).length);
    }
    const { job, status, error_key, started_at } = scheduled_job_runs;
    const jobRuns = await db
      .select({ job, status, error_key, n: count() })
      .from(scheduled_job_runs)
      .where(between(started_at, start, start + dayMs))
      .groupBy(job, status, error_key)
      .orderBy(job);
    const succeeded = { status: "succeeded", error_key: null };
    expect(jobRuns).toEqual([
      { job: "purge_expired_data", ...succeeded, n: 24 },
      { job: "retry_mail", ...succeeded, n: 288 },
      { job: "retry_webhooks", ...succeeded, n: 288 },
    ]);
    expect([remaining[0], remaining[1], remaining[2], remaining[22], remaining[23]]).toEqual([3, 2, 1, 1, 1]);
  }, 60_000);
});

describe("settings of scheduled jobs", () => {
  const call = (env: ReturnType<typeof identityEnv>, path = "/api/v1/health") => callIdentity(env, path);
  const live = { DEBUG: "false", JWT_ISSUER: "https://auth.example.com", AUTH_RATE_LIMIT_MAGIC_LINK: "10/min" };

  it.each([
    ["BROKER", { BROKER: undefined }],
    ["the queue", { SERVICE_QUEUE: undefined }],
    ["BROKER, and the scheduler is off", { BROKER: undefined, SCHEDULER_ENABLED: "false" }],
  ])("cause 503 for every request, with one log line, when DEBUG is off without %s", async (_setting, vars) => {
    const { env: base, locks } = await setUpJobs();
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
    const logged = lines("error").filter(({ message }) => String(message).includes("BROKER"));
    expect(logged.map(({ message }) => message)).toEqual(["BROKER_URL is required when DEBUG is false"]);
  });

  it("stop only the jobs, with one warning, under DEBUG without a broker; requests are still handled", async () => {
    const { env: base } = await setUpJobs();
    const env = { ...base, BROKER: undefined } as typeof base;
    const before = await newestRun("retry_mail");
    await tick(worker, env);
    expect((await call(env)).status).toBe(200);
    await tick(worker, env);
    expect((await newestRun("retry_mail"))?.id).toBe(before?.id);
    const logged = lines("warn").filter(({ message }) => String(message).includes("BROKER"));
    expect(logged.map(({ message }) => message)).toEqual(["BROKER_URL is not set, scheduled jobs do not run"]);
  });

  it("allow JOBS_BROKER for locks and heartbeat without BROKER, only under DEBUG", async () => {
    const { env: base, locks, read } = await setUpJobs();
    const jobsBrokerOnly = { ...base, BROKER: undefined, JOBS_BROKER: locks } as typeof base;
    const before = await newestRun("retry_mail");
    await tick(worker, jobsBrokerOnly);
    const newRun = await newestRun("retry_mail");
    expect(newRun?.id).toBeGreaterThan(before?.id ?? 0);
    expect(newRun).toMatchObject({ status: "succeeded", lock_fence: 1 });
    await tick(worker, { ...base, BROKER: brokenLocks(false), JOBS_BROKER: locks } as typeof base);
    expect(await newestRun("retry_mail")).toMatchObject({ status: "succeeded", lock_fence: 2 });
    expect(await read("/api/v1/scheduled-jobs")).toMatchObject({ beat_stale: false });
  });

  it("disable the crons when SCHEDULER_ENABLED is false", async () => {
    const { env, locks } = await setUpJobs({ SCHEDULER_ENABLED: "false" });
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
  ])("returns 503 and names the setting when a job setting is invalid: %j", async (vars, message) => {
    const { env: base } = await setUpJobs();
    const env = { ...base, ...vars } as typeof base;
    expect((await call(env)).status).toBe(503);
    expect((await call(env, "/api/v1/scheduled-jobs")).status).toBe(503);
    await tick(worker, env);
    expect(lines("error").filter((line) => line.message === message)).toHaveLength(1);
  });
});
