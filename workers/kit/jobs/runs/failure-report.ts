import { uuid } from "../../ids";
import { errorName } from "../../log";
import type { JobServices } from "../job";
import type { Trigger } from "../lock/job-lock";
import type { Failure } from "./failure";

const TIMEOUT_MS = 5000;

/**
 * Posts a failed run to `ERROR_REPORTING_DSN` with up to three tags. A DSN of the common form
 * `https://{key}@{host}/{id}` is posted to the error tracker's store URL, any other URL is used as is. When the report
 * fails, the error is only logged.
 */
export async function reportFailure(
  services: JobServices,
  run: { job: string; trigger: Trigger; id: number | null; failure: Failure },
): Promise<void> {
  const dsn = services.settings.jobs.errorReportingDsn;
  if (dsn === null) return;
  const { url, headers } = readTarget(new URL(dsn));
  const { job, trigger, id, failure } = run;
  const body = {
    event_id: uuid().replaceAll("-", ""),
    timestamp: new Date(services.clock.now()).toISOString(),
    platform: "javascript",
    level: "error",
    logger: "scheduled_jobs",
    server_name: services.host,
    tags: {
      scheduled_job: job,
      scheduled_job_trigger: trigger,
      ...(id === null ? {} : { scheduled_job_run_id: String(id) }),
    },
    exception: { values: [{ type: failure.name, value: failure.message }] },
    extra: { error_key: failure.key },
  };
  try {
    const response = await services.fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (!response.ok) services.log.warn("failed run was not reported", { job, status: response.status });
  } catch (error) {
    services.log.warn("failed run was not reported", { job, cause: errorName(error) });
  }
}

function readTarget(dsn: URL): { url: string; headers: Record<string, string> } {
  const project = /^(.*)\/(\d+)\/?$/.exec(dsn.pathname);
  if (dsn.username === "" || project === null) return { url: dsn.href, headers: {} };
  return {
    url: `${dsn.origin}${project[1]}/api/${project[2]}/store/`,
    headers: { "x-sentry-auth": `Sentry sentry_version=7, sentry_client=platform/1.0, sentry_key=${dsn.username}` },
  };
}
