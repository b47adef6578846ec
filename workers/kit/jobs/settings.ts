import { DeploymentError, parseBoolean, parseInteger, SettingError, settingText, withDefault } from "../settings";
import type { JobLock } from "./lock/job-lock";

/** Bindings and variables that scheduled jobs read (details of Document 3, sections 1 and 3.1). */
export type JobBindings = {
  BROKER?: DurableObjectNamespace<JobLock> | undefined;
  JOBS_BROKER?: DurableObjectNamespace<JobLock> | undefined;
  SCHEDULER_ENABLED?: string | undefined;
  JOBS_WORKER_CONCURRENCY?: string | undefined;
  ERROR_REPORTING_DSN?: string | undefined;
};

export type JobSettings = {
  schedulerEnabled: boolean;
  /** runs that one isolate executes at once */
  concurrency: number;
  /** where failed runs are posted, or null */
  errorReportingDsn: string | null;
  /** where locks and heartbeat live; null: jobs do not run */
  locks: DurableObjectNamespace<JobLock> | null;
  /** what is told once in an isolate, or null */
  warning: string | null;
};

/**
 * The settings of scheduled jobs. `BROKER_URL` is the presence of `BROKER` and of the service's `queues`: without it the
 * whole service is refused (DeploymentError) unless `debug`, and then jobs need `JOBS_BROKER`.
 */
export function readJobSettings(
  env: JobBindings,
  { debug, queues }: { debug: boolean; queues: readonly unknown[] },
): JobSettings {
  const settings = {
    schedulerEnabled: parseBoolean("SCHEDULER_ENABLED", withDefault(env.SCHEDULER_ENABLED, "true")),
    concurrency: parseInteger("JOBS_WORKER_CONCURRENCY", withDefault(env.JOBS_WORKER_CONCURRENCY, "2"), {
      min: 1,
      max: 8,
    }),
    errorReportingDsn: readDsn(env.ERROR_REPORTING_DSN, debug),
  };
  if (env.BROKER !== undefined && queues.every((queue) => queue !== undefined)) {
    return { ...settings, locks: env.JOBS_BROKER ?? env.BROKER, warning: null };
  }
  if (!debug) throw new DeploymentError("BROKER_URL is required when DEBUG is false");
  const consequence = env.JOBS_BROKER === undefined ? "scheduled jobs do not run" : "only scheduled jobs have a broker";
  return { ...settings, locks: env.JOBS_BROKER ?? null, warning: `BROKER_URL is not set, ${consequence}` };
}

function readDsn(raw: unknown, debug: boolean): string | null {
  const text = settingText(raw);
  if (text === "") return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !(url.protocol === "https:" || (debug && url.protocol === "http:"))) {
    throw new SettingError("ERROR_REPORTING_DSN", debug ? "an http or https URL" : "an https URL");
  }
  return text;
}
