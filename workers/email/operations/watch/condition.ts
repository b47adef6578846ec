import { type AlertCode, type CountedCode, isCountedCode } from "../../../../schemas/email/alerts";
import type { OperationsReport } from "../../../../schemas/rpc";

/** A condition that a check found. `job` is "" unless it is about a job. `count` is null for a condition without a count. */
export type Condition = { id: string; service: string; code: AlertCode; job: string; count: number | null };

/** What a check read of a service; null when it did not respond. */
export type ServiceReport = { service: string; report: OperationsReport | null };

/** Returns the conditions of a service. If it does not respond, that is the only one. */
export function conditionsOf(
  { service, report }: ServiceReport,
  thresholds: Readonly<Record<CountedCode, number>>,
): Condition[] {
  const condition = (code: AlertCode, { job = "", count = null }: { job?: string; count?: number | null } = {}) => {
    const id = [service, code, ...(job === "" ? [] : [job])].join("/");
    return { id, service, code, job, count };
  };
  if (report === null) return [condition("unreachable")];
  const { scheduler_state, broker_reachable } = report;
  const isStopped = scheduler_state === "stale" || scheduler_state === "no_broker" || broker_reachable === false;
  const counted = report.entries.flatMap(({ code, count }) =>
    isCountedCode(code) && thresholds[code] > 0 && count >= thresholds[code] ? [condition(code, { count })] : [],
  );
  const jobs = report.jobs.filter(({ health }) => health === "failing" || health === "overdue");
  return [
    ...(isStopped ? [condition("scheduler_stopped")] : []),
    ...jobs.map(({ job }) => condition("job_failing", { job })),
    ...counted,
  ];
}
