import { inArray } from "drizzle-orm";
import { expect, it } from "vitest";
import { scheduled_job_runs } from "../../../db/kit/jobs";
import { event_log } from "../../../db/kit/webhooks";
import { eventIdAt, isNumbered } from "../db/event-ids";
import { nextTick } from "../jobs/jobs";
import { insertRun } from "../jobs/rows";
import { countRows, eventsWhere, insertEvent } from "../webhooks/rows";
import type { Sibling } from "./sibling";
import { readError } from "./sibling";

type ListedJob = { job: string; interval_seconds: number; overdue_after_seconds: number };

/** The two jobs that every service has. */
export const sharedJobs: readonly ListedJob[] = [
  { job: "retry_webhooks", interval_seconds: 60, overdue_after_seconds: 180 },
  { job: "purge_expired_data", interval_seconds: 3600, overdue_after_seconds: 8100 },
];

/**
 * Checks the staff API of jobs and the crons of a service. `idleCalls` is the number of database calls in a minute
 * without work.
 */
export async function checkScheduledJobs(
  sibling: Sibling,
  { jobs, idleCalls }: { jobs: readonly ListedJob[]; idleCalls: number },
): Promise<void> {
  const { service, start } = sibling;
  const worker = await start();
  const staff = await worker.token({ isStaff: true, companyId: 1 });
  const paths = [
    "/api/v1/scheduled-jobs",
    "/api/v1/scheduled-jobs/purge_expired_data/runs",
    "/api/v1/scheduled-jobs/runs/1",
  ];

  it.each(paths)("%s returns 401 without a token, and 403 for owners and members", async (path) => {
    const none = await worker.call(path);
    expect(none.headers.get("www-authenticate")).toBe("Bearer");
    expect(await readError(none)).toEqual([401, "unauthorized"]);
    for (const isOwner of [true, false]) {
      const bearer = await worker.token({ companyId: 42, isOwner });
      expect(await readError(await worker.call(path, { bearer }))).toEqual([403, "forbidden"]);
      const pat = await worker.token({ companyId: 42, isOwner, pat: { agm: true } });
      expect(await readError(await worker.call(path, { bearer: pat }))).toEqual([403, "forbidden"]);
    }
  });

  it("lists the jobs in a fixed order for staff with a session or a read-only token", async () => {
    const pat = await worker.token({ isStaff: true, companyId: 1, pat: { readOnly: true } });
    for (const bearer of [staff, pat]) {
      const response = await worker.call("/api/v1/scheduled-jobs", { bearer });
      const body = (await response.json()) as { jobs: { job: string }[] };
      expect(body).toMatchObject({
        scheduler_enabled: true,
        jobs,
      });
      expect(body.jobs).toHaveLength(jobs.length);
    }
  });

  it("makes few database calls in a minute without work", async () => {
    // Work left over from earlier tests ends within one or two runs.
    const callsOfMinute = async () => {
      const before = worker.roundTrips();
      await worker.runCron("* * * * *");
      return worker.roundTrips() - before;
    };
    await expect.poll(callsOfMinute, { interval: 1, timeout: 10_000 }).toBe(idleCalls);
  });

  it("records each job run of a cron with a platform event", async () => {
    await worker.runCron("17 * * * *");
    const response = await worker.call("/api/v1/scheduled-jobs/purge_expired_data/runs?limit=1", { bearer: staff });
    const { results } = (await response.json()) as { results: { id: number; event_log_id: number; counts: unknown }[] };
    const [run] = results;
    expect(run).toMatchObject({
      job: "purge_expired_data",
      trigger: "scheduler",
      status: "succeeded",
      request_id: `sjr-${run?.id}`,
      host: expect.stringMatching(new RegExp(`^platform-${service}@[^:]+:[0-9a-f]{8}$`)),
      counts: { events: 0, webhook_deliveries: 0, email_events: 0, scheduled_job_runs: 0, complete: true },
    });
    const [event] = await eventsWhere(isNumbered(run?.event_log_id));
    expect(event).toMatchObject({ company_id: 0, event_type: `${service}.scheduled_job.succeeded`, envelope: null });
    const detail = await worker.call(`/api/v1/scheduled-jobs/runs/${run?.id}`, { bearer: staff });
    expect(await detail.json()).toMatchObject({ id: run?.id, webhook_delivery_attempts: [], email_events: [] });
  });

  it("runs the job once when the same cron tick arrives twice", async () => {
    const at = nextTick();
    const count = () => countRows(scheduled_job_runs, undefined);
    const before = await count();
    await Promise.all([worker.runCron("17 * * * *", at), worker.runCron("17 * * * *", at)]);
    expect(await count()).toBe(before + 1);
  });

  it("purges old events, including platform events, and old runs", async () => {
    const oldTime = Date.now() - 8 * 86_400_000;
    const [expiredEvent, platformEvent, recentEvent] = [
      eventIdAt(oldTime),
      eventIdAt(oldTime),
      eventIdAt(oldTime + 2 * 86_400_000),
    ];
    await insertEvent({ id: expiredEvent, company_id: 42, event_type: "x", created_at: oldTime });
    await insertEvent({ id: platformEvent, company_id: 0, event_type: "x", created_at: oldTime });
    await insertEvent({ id: recentEvent, company_id: 42, event_type: "x", created_at: oldTime + 2 * 86_400_000 });
    await insertRun({ job: "retry_webhooks", started_at: oldTime });
    await worker.runCron("17 * * * *");
    const remaining = await eventsWhere(inArray(event_log.id, [expiredEvent, platformEvent, recentEvent]));
    expect(remaining.map(({ event_id }) => event_id)).toEqual([recentEvent]);
    const response = await worker.call("/api/v1/scheduled-jobs/purge_expired_data/runs?limit=1", { bearer: staff });
    expect(await response.json()).toMatchObject({ results: [{ counts: { events: 2, scheduled_job_runs: 1 } }] });
  });
}
