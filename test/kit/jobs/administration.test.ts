import { and, eq, lt, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { scheduled_job_runs as runs } from "../../../db/kit/jobs";
import { event_log } from "../../../db/kit/webhooks";
import type { ManagementLine } from "../../../schemas/management";
import worker from "../../../workers/identity/worker";
import { clock } from "../../../workers/kit/clock";
import { eventIdAt, numberedEventId } from "../../support/db/event-ids";
import { rowsReadBy } from "../../support/http/read-rows";
import { callIdentity, json } from "../../support/identity/identity";
import { createPat } from "../../support/identity/personal-access-tokens";
import { codeOf, holdConsole, OPERATOR_KEY, setUpJobs } from "../../support/jobs/identity-jobs";
import { brokenLocks, tick } from "../../support/jobs/jobs";
import { insertRun, newestRun } from "../../support/jobs/rows";
import { restoreAfterEach } from "../../support/restore";
import { deleteRows, eventsWhere, insertEvent, insertNumbered } from "../../support/webhooks/rows";

const dayMs = 86_400_000;
const lines = holdConsole();
restoreAfterEach();

describe("the staff API of scheduled jobs", () => {
  it("returns 401 without a token and 403 for owners and members, and accepts staff tokens", async () => {
    const { env, company, person, staff, get } = await setUpJobs();
    await tick(worker, env);
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
    const { env, locks, read } = await setUpJobs();
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
      job: "retry_mail",
      health: "healthy",
      overdue: false,
      interval_seconds: 60,
      overdue_after_seconds: 180,
      last_run: {
        id: run?.id,
        job: "retry_mail",
        trigger: "scheduler",
        status: "succeeded",
        started_at: startedAt,
        finished_at: new Date(run?.finished_at ?? 0).toISOString(),
        duration_ms: run?.duration_ms,
        counts: { mails_attempted: expect.any(Number), mails_expired: expect.any(Number) },
        error_key: null,
        error_class: null,
        error_message: null,
        host: run?.host,
        request_id: `sjr-${run?.id}`,
        event_log_id: run?.event_log_id,
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
        held: true,
        trigger: "command",
        host: "w@unknown:1",
        acquired_at: expect.any(String),
        expires_at: expect.any(String),
      },
    });
    expect(list.jobs[2]).toMatchObject({ lock: null, next_expected_at: expect.stringMatching(/:17:00\.000Z$/) });
  });

  it("distinguishes an unavailable broker from a missing binding", async () => {
    const { read } = await setUpJobs();
    const withoutLocks = await setUpJobs({ BROKER: brokenLocks(false) });
    expect(await withoutLocks.read("/api/v1/scheduled-jobs")).toMatchObject({
      broker_reachable: false,
      beat_last_seen_at: null,
      beat_stale: true,
      scheduler_state: "stale",
    });
    const unbound = await setUpJobs({ BROKER: undefined });
    expect(await unbound.read("/api/v1/scheduled-jobs")).toMatchObject({
      broker_reachable: null,
      beat_stale: true,
      scheduler_state: "no_broker",
    });
    const disabled = await setUpJobs({ SCHEDULER_ENABLED: "false" });
    expect(await disabled.read("/api/v1/scheduled-jobs")).toMatchObject({
      scheduler_enabled: false,
      beat_stale: false,
      scheduler_state: "disabled",
    });
    expect(await read("/api/v1/scheduled-jobs")).toMatchObject({ beat_stale: true, scheduler_state: "stale" });
  });

  it("returns pages of runs newest first, filters them by status, and rejects invalid queries", async () => {
    const { env, get, read } = await setUpJobs();
    for (let n = 0; n < 3; n++) await tick(worker, env);
    await tick(worker, { ...env, BROKER: brokenLocks(false) });
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
    const problemOfQuery = async (query: string) => {
      const response = await get(`${path}?${query}`);
      return [response.status, (await response.json<{ field_errors: unknown }>()).field_errors];
    };
    expect(await problemOfQuery("limit=0")).toEqual([400, { limit: ["out_of_range"] }]);
    expect(await problemOfQuery("limit=101")).toEqual([400, { limit: ["out_of_range"] }]);
    expect(await problemOfQuery("limit=two")).toEqual([400, { limit: ["invalid"] }]);
    expect(await problemOfQuery("status=done")).toEqual([400, { status: ["invalid"] }]);
    expect(await problemOfQuery("cursor=x")).toEqual([400, { cursor: ["invalid"] }]);
    expect(await codeOf(await get("/api/v1/scheduled-jobs/unknown/runs"))).toEqual([404, "not_found"]);
  });

  it("reads at most 5,000 rows for a page of runs by status, and continues by cursor to the matching run", async () => {
    const { read } = await setUpJobs();
    const job = "purge_expired_data";
    const oldest = await insertRun({ job, status: "failed", started_at: -1 });
    const common = { job, trigger: "scheduler", status: "succeeded", host: "w@unknown:1" } as const;
    await insertNumbered(runs, 6000, (i) => ({ ...common, started_at: sql`-1 + ${i} / 7` }));
    type Page = { results: { id: number }[]; next_cursor: string | null };
    const ids: number[] = [];
    let calls = 0;
    for (let next: string | null = ""; next !== null; calls++) {
      const query = `status=failed${next === "" ? "" : `&cursor=${next}`}`;
      let page: Page = { results: [], next_cursor: null };
      const cost = await rowsReadBy(async () => {
        page = await read<Page>(`/api/v1/scheduled-jobs/${job}/runs?${query}`);
      });
      expect(cost).toBeLessThan(5100);
      ids.push(...page.results.map(({ id }) => id));
      next = page.next_cursor;
    }
    expect([ids, calls]).toEqual([[oldest.id], 4]);
    await deleteRows(runs, and(eq(runs.job, job), lt(runs.started_at, 1000)));
  });

  it("returns one run, and 404 for an unknown id", async () => {
    const { env, get, read } = await setUpJobs();
    await tick(worker, env);
    const run = await newestRun("retry_mail");
    expect(await read(`/api/v1/scheduled-jobs/runs/${run?.id}`)).toMatchObject({
      id: run?.id,
      request_id: `sjr-${run?.id}`,
      webhook_delivery_attempts: [],
      email_events: [],
      webhook_delivery_attempts_truncated: false,
      email_events_truncated: false,
    });
    for (const id of ["999999999", "x", "0", "runs"]) {
      expect(await codeOf(await get(`/api/v1/scheduled-jobs/runs/${id}`))).toEqual([404, "not_found"]);
    }
  });

  it("reports every job, status and count in metrics/all, and none of them in a company's metrics", async () => {
    const { env, get } = await setUpJobs();
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

describe("commands of scheduled jobs", () => {
  const run = async (
    env: Awaited<ReturnType<typeof setUpJobs>>["env"],
    command: string,
    flags: unknown,
    bearer = OPERATOR_KEY,
  ) => {
    const headers = { authorization: `Bearer ${bearer}` };
    const response = await callIdentity(env, `/api/v1/management/${command}`, json({ flags }, headers));
    const text = new TextDecoder().decode(await response.arrayBuffer()).trim();
    return { status: response.status, lines: text.split("\n").map((line) => JSON.parse(line) as ManagementLine) };
  };

  it("run the same job with trigger `command` for operator and staff, and return the run id immediately", async () => {
    const { env, staff } = await setUpJobs();
    for (const bearer of [OPERATOR_KEY, staff.token]) {
      const { lines: output } = await run(env, "purge_expired_data", { batch_size: 10 }, bearer);
      const jobRun = await newestRun("purge_expired_data");
      expect(jobRun).toMatchObject({ trigger: "command", status: "succeeded" });
      expect(output[0]).toEqual({ type: "start", command: "purge_expired_data", run_id: jobRun?.id });
      expect(output.at(-1)).toMatchObject({
        type: "result",
        exit_code: 0,
        run_id: jobRun?.id,
        line: expect.stringMatching(
          new RegExp(
            `^purge_expired_data: deleted events=\\d+ webhook_deliveries=\\d+ email_events=\\d+ scheduled_job_runs=\\d+ .* complete=true run_id=${jobRun?.id}$`,
          ),
        ),
        counts: expect.objectContaining({ complete: true }),
      });
      expect(lines("log").map(({ message }) => message)).toContain(
        output.at(-1)?.type === "result" ? (output.at(-1) as { line: string }).line : "",
      );
    }
  });

  it("count rows in a dry run without changing or recording anything", async () => {
    const { env } = await setUpJobs();
    const before = await newestRun("purge_expired_data");
    const old = clock.now() - 8 * dayMs;
    const eventId = eventIdAt(old);
    await insertEvent({ id: eventId, company_id: 0, event_type: "test.old", created_at: old });
    const { lines: output } = await run(env, "purge_expired_data", { dry_run: true });
    expect(output).toEqual([
      { type: "start", command: "purge_expired_data", run_id: null },
      {
        type: "result",
        exit_code: 0,
        run_id: null,
        counts: expect.objectContaining({ events: expect.any(Number) }),
        line: expect.stringMatching(
          /^purge_expired_data: would delete events=[1-9]\d* webhook_deliveries=\d+ email_events=\d+ scheduled_job_runs=\d+/,
        ),
      },
    ]);
    expect(await eventsWhere(eq(event_log.id, eventId))).toHaveLength(1);
    expect((await newestRun("purge_expired_data"))?.id).toBe(before?.id);
    await run(env, "purge_expired_data", {});
    expect(await eventsWhere(eq(event_log.id, eventId))).toHaveLength(0);
  });

  it("skip a job that is running, and run it without the lock on request", async () => {
    const { env, locks } = await setUpJobs();
    const lock = locks.get(locks.idFromName("identity-service:scheduler:lock:retry_mail"));
    await lock.acquire({ token: "t", ttl_s: 60, trigger: "scheduler", host: "w@unknown:1" });
    const { lines: skipped } = await run(env, "retry_mail", {});
    expect(skipped).toEqual([
      { type: "start", command: "retry_mail", run_id: null },
      {
        type: "result",
        exit_code: 0,
        run_id: null,
        counts: {},
        line: "retry_mail: skipped, another run is in progress",
      },
    ]);
    const { lines: forced } = await run(env, "retry_mail", { no_lock: true });
    const jobRun = await newestRun("retry_mail");
    expect(jobRun).toMatchObject({ trigger: "command", lock_fence: null });
    expect(forced.at(-1)).toMatchObject({ type: "result", run_id: jobRun?.id });
  });

  it("end a failed run with one error line that names the run", async () => {
    const { env } = await setUpJobs({ BROKER: brokenLocks(false) });
    const { lines: output } = await run(env, "purge_expired_data", {});
    const jobRun = await newestRun("purge_expired_data");
    expect(output).toEqual([
      { type: "start", command: "purge_expired_data", run_id: jobRun?.id },
      {
        type: "error",
        exit_code: 1,
        run_id: jobRun?.id,
        line: `CommandError: purge_expired_data failed: BrokerError: the lock object did not respond to acquire (run_id=${jobRun?.id})`,
      },
    ]);
  });

  it("stop at their limits with complete=false, and continue in the next run", async () => {
    const { env } = await setUpJobs();
    const at = clock.now() - 9 * dayMs;
    await insertNumbered(event_log, 950, (i) => ({
      id: numberedEventId(sql`${at} + ${i}`, i),
      company_id: 0,
      event_type: "test.many",
      data: "{}",
      created_at: sql`${at} + ${i}`,
    }));
    const { lines: output } = await run(env, "purge_expired_data", { batch_size: 1 });
    expect(output.at(-1)).toMatchObject({
      counts: expect.objectContaining({ events: 900, scheduled_job_runs: 0, complete: false }),
    });
    expect(await eventsWhere(eq(event_log.event_type, "test.many"))).toHaveLength(50);
    const { lines: nextOutput } = await run(env, "purge_expired_data", {});
    expect(nextOutput.at(-1)).toMatchObject({ counts: expect.objectContaining({ events: 50, complete: true }) });
  });
});
