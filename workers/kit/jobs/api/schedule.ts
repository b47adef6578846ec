import { uuid } from "../../ids";
import type { Log } from "../../log";
import { createLog, errorName } from "../../log";
import { logOnce, readOrLog } from "../../log-once";
import type { JobServices, JobSet } from "../job";
import { runJob } from "../runs/run";

type Event = Pick<ScheduledController, "cron" | "scheduledTime">;
type Invocation = { requestId: string; log: Log; waitUntil: (work: Promise<unknown>) => void };

/**
 * Returns the `scheduled` handler of a service. It stores the heartbeat, then runs the jobs of the cron. It does
 * nothing when `services` throws because the settings are invalid.
 */
export function createScheduled<Env extends object, S extends JobServices>(
  set: JobSet<S>,
  services: (env: Env, invocation: Invocation) => S,
): (event: Event, env: Env, ctx: Pick<ExecutionContext, "waitUntil">) => Promise<void> {
  return async (event, env, ctx) => {
    const requestId = uuid();
    const log = createLog({ service: set.service, request_id: requestId });
    const waitUntil = (work: Promise<unknown>) => ctx.waitUntil(work);
    const jobServices = readOrLog(env, log, () => services(env, { requestId, log, waitUntil }));
    if (jobServices !== null)
      await runTick(jobServices, set, event, (message) => logOnce(env, message, () => log.warn(message)));
  };
}

/** Runs one tick: stores the heartbeat, then runs every job of this cron in parallel, each with its own lock. */
async function runTick<S extends JobServices>(
  services: S,
  set: JobSet<S>,
  { cron, scheduledTime }: Event,
  warnOnce: (message: string) => void,
): Promise<void> {
  const { broker, clock, log, settings } = services;
  if (settings.jobs.warning !== null) warnOnce(settings.jobs.warning);
  if (!settings.jobs.schedulerEnabled || broker === null) return;
  const jobs = set.jobs.filter((job) => job.schedule.cron === cron);
  if (jobs.length === 0) {
    log.error("no job for this cron", { cron });
    return;
  }
  try {
    await broker.beat(clock.now() / 1000);
  } catch (error) {
    log.error("the heartbeat was not stored", { cause: errorName(error) });
  }
  const run = { trigger: "scheduler", scheduledTime, withLock: true } as const;
  await Promise.all(jobs.map((job) => runJob(services, set, job, { ...run, flags: job.scheduledFlags })));
}
