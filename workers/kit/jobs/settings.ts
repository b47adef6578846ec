import { flag, integer, url } from "../settings/setting-types";
import {
  DeploymentError,
  debugSetting,
  readSettings,
  type SettingsOf,
  type SettingsTable,
  type VariablesOf,
} from "../settings/settings";
import type { JobLock } from "./lock/job-lock";

/** Settings of scheduled jobs. */
export const jobTable = {
  schedulerEnabled: {
    name: "SCHEDULER_ENABLED",
    type: flag,
    default: "true",
    meaning:
      "If false, Cron Triggers run no jobs in this service. Run them with `platform manage`: `retry_webhooks` every minute, and " +
      "`purge_expired_data --max-seconds 300` at minute 17 of each hour",
  },
  /** the number of runs that one isolate executes at once */
  concurrency: {
    name: "JOBS_WORKER_CONCURRENCY",
    type: integer(1, 8),
    default: "2",
    meaning: "Concurrent job runs in one isolate",
  },
  /** the URL to which failed runs are posted, or null */
  errorReportingDsn: {
    name: "ERROR_REPORTING_DSN",
    type: url,
    meaning: "Error tracker to which failed job runs are reported",
  },
} as const satisfies SettingsTable;

/** Bindings and variables that scheduled jobs read. */
export type JobBindings = VariablesOf<typeof jobTable> & {
  BROKER?: DurableObjectNamespace<JobLock> | undefined;
  JOBS_BROKER?: DurableObjectNamespace<JobLock> | undefined;
};

export type JobSettings = SettingsOf<typeof jobTable> & {
  /** the namespace of locks and heartbeat; null when jobs do not run */
  locks: DurableObjectNamespace<JobLock> | null;
  /** a warning to log once per isolate, or null */
  warning: string | null;
};

/**
 * Returns the settings of scheduled jobs. Messages and documentation call the binding `BROKER` and the service's
 * `queues` together `BROKER_URL`. If one is missing, the whole service rejects every request (DeploymentError). With
 * `DEBUG` it only warns, and jobs need `JOBS_BROKER`. Call this before reading other settings, because without a broker
 * even health checks are rejected.
 */
export function readJobSettings(env: JobBindings, { queues }: { queues: readonly unknown[] }): JobSettings {
  const { debug, ...settings } = readSettings({ debug: debugSetting, ...jobTable }, env);
  if (env.BROKER !== undefined && queues.every((queue) => queue !== undefined)) {
    return { ...settings, locks: env.JOBS_BROKER ?? env.BROKER, warning: null };
  }
  if (!debug) throw new DeploymentError("BROKER_URL is required when DEBUG is false");
  const consequence = env.JOBS_BROKER === undefined ? "scheduled jobs do not run" : "only scheduled jobs have a broker";
  return { ...settings, locks: env.JOBS_BROKER ?? null, warning: `BROKER_URL is not set, ${consequence}` };
}
