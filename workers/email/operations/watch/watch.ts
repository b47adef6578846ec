import type { AlertRow } from "../../../../db/email/rows";
import type { OperationsReport } from "../../../../schemas/rpc";
import { sha256Hex } from "../../../kit/crypto/hash";
import type { JobRun } from "../../../kit/jobs/job";
import { errorName } from "../../../kit/log";
import { SECOND_MS } from "../../../kit/time";
import { withTimeout } from "../../../kit/timeout";
import type { EmailServices } from "../../services";
import { deleteAlerts, insertNotices, JOB, listAlerts, type NewNotice, saveAlerts } from "./alert.store";
import { type Condition, conditionsOf, type ServiceReport } from "./condition";
import { transitionOf } from "./transition";

/** The time that a service has to report. */
const REPORT_TIMEOUT_MS = 10 * SECOND_MS;

/** Returns the report of the email service itself. */
export type OwnReport = (services: EmailServices) => Promise<OperationsReport>;

/** The conditions of all services, and the services that did not respond. */
export type Check = { conditions: Condition[]; silent: Set<string> };

/** Reads the reports of all services at the same time. Throws when the database of email does not respond. */
export async function checkServices(services: EmailServices, ownReport: OwnReport): Promise<Check> {
  const { watched, settings, log } = services;
  const others = watched.map(async ({ service, rpc }): Promise<ServiceReport> => {
    try {
      return { service, report: await withTimeout(rpc.operationsReport(), REPORT_TIMEOUT_MS) };
    } catch (error) {
      log.warn("a service did not report", { watched: service, cause: errorName(error) });
      return { service, report: null };
    }
  });
  const [own, ...reports] = await Promise.all([ownReport(services), ...others]);
  // A run of the job itself shows that it works.
  const jobs = own.jobs.filter(({ job }) => job !== JOB);
  const all = [...reports, { service: "email", report: { ...own, jobs } }];
  return {
    conditions: all.flatMap((each) => conditionsOf(each, settings.watch.thresholds)),
    silent: new Set(reports.filter(({ report }) => report === null).map(({ service }) => service)),
  };
}

/**
 * Checks all services, and stores in one batch which conditions started and ended and the notices about them. A repeated run
 * finds the new state, so each change is in one notice only. Returns the numbers of changes.
 */
export async function storeCheck(
  services: EmailServices,
  run: Pick<JobRun, "fence">,
  ownReport: OwnReport,
): Promise<{ fired: number; resolved: number }> {
  const { platformDb, clock, settings, log } = services;
  const check = await checkServices(services, ownReport);
  const stored = await platformDb.all(listAlerts());
  const now = clock.now();
  const { saved, deleted, fired, resolved } = transitionOf(stored, check, { now, holdMs: settings.watch.holdMs });
  const counts = { fired: fired.length, resolved: resolved.length };
  if (saved.length === 0 && deleted.length === 0) return counts;
  const notices = [
    ...(fired.length > 0 ? [await noticeOf(services, "firing", fired, now)] : []),
    ...(resolved.length > 0 ? [await noticeOf(services, "resolved", resolved, now)] : []),
  ];
  const { fence } = run;
  await platformDb.batch({
    saved: saved.length === 0 ? null : saveAlerts({ rows: saved, fence }),
    deleted: deleted.length === 0 ? null : deleteAlerts({ ids: deleted.map(({ id }) => id), fence }),
    notices: notices.length === 0 ? null : insertNotices({ notices, fence }),
  });
  for (const { id, count } of fired) log.warn("a condition started", { condition: id, count });
  for (const { id } of resolved) log.info("a condition ended", { condition: id });
  return counts;
}

async function noticeOf(
  { settings, log }: EmailServices,
  kind: NewNotice["kind"],
  rows: readonly AlertRow[],
  now: number,
): Promise<NewNotice> {
  const { platformCompanyIds, watch } = settings;
  if (platformCompanyIds.size === 0) log.warn("conditions are not mailed: EMAIL_PLATFORM_COMPANY_IDS is not set");
  const alerts = rows.map(({ service, code, job, count, started_at, cleared_at: ended_at }) => {
    return { service, code, job, count, started_at, ended_at };
  });
  // The same change has the same id, so that two runs without a lock report it once.
  const identity = JSON.stringify([kind, ...rows.map(({ id, started_at }) => [id, started_at])]);
  return {
    id: (await sha256Hex(identity)).slice(0, 32),
    kind,
    alerts,
    is_mail_due: platformCompanyIds.size > 0,
    is_post_due: watch.webhookUrl !== null,
    created_at: now,
  };
}
