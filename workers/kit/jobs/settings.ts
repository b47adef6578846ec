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

/** Scheduled jobs. */
export const jobTable = {
  schedulerEnabled: {
    name: "SCHEDULER_ENABLED",
    type: flag,
    default: "true",
    meaning:
      "If false, Cron Triggers run no jobs here: run `retry_webhooks` each minute and " +
      "`purge_expired_data --max-seconds 300` at minute 17 with `platform manage`",
  },
  /** runs that one isolate executes at once */
  concurrency: {
    name: "JOBS_WORKER_CONCURRENCY",
    type: integer(1, 8),
    default: "2",
    meaning: "Concurrent job runs in one isolate",
  },
  /** where failed runs are posted, or null */
  errorReportingDsn: {
    name: "ERROR_REPORTING_DSN",
    type: url,
    meaning: "Error tracker to which failed runs are reported",
  },
} as const satisfies SettingsTable;

/** Bindings and variables that scheduled jobs read. */
export type JobBindings = VariablesOf<typeof jobTable> & {
  BROKER?: DurableObjectNamespace<JobLock> | undefined;
  JOBS_BROKER?: DurableObjectNamespace<JobLock> | undefined;
};

export type JobSettings = SettingsOf<typeof jobTable> & {
  /** where locks and heartbeat live; null: jobs do not run */
  locks: DurableObjectNamespace<JobLock> | null;
  /** what is told once in an isolate, or null */
  warning: string | null;
};

/**
 * The settings of scheduled jobs. `BROKER_URL` is the presence of `BROKER` and of the service's `queues`: without it the
 * whole service is refused (DeploymentError) unless `DEBUG`, and then jobs need `JOBS_BROKER`. Read it before all others,
 * because without a broker nothing is answered, health included.
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
