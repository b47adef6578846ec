import type { OperationsReport } from "../../../schemas/rpc";
import { presentJobs } from "../jobs/api/job.present";
import { selectOverview as selectJobs, toOverview } from "../jobs/api/overview";
import type { JobServices, JobSet } from "../jobs/job";
import { readBroker } from "../jobs/lock/broker";
import type { OverviewStatements } from "./entry.store";
import { type OverviewValues, presentOverview, selectOverview } from "./overview";

/** What the overview of a service consists of: its entries, its jobs, and the values of the parameters that it adds. */
export type OverviewSource<S> = {
  statements: OverviewStatements;
  jobs: JobSet<S>;
  valuesOf?: (services: S) => OverviewValues | Promise<OverviewValues>;
};

/**
 * Returns the counts of the overview of all companies, and the health of the jobs. Takes one round trip, and up to 2 s while the
 * broker does not respond. Throws when the database does not respond.
 */
export async function readOperationsReport<S extends JobServices>(
  services: S,
  { statements, jobs, valuesOf }: OverviewSource<S>,
): Promise<OperationsReport> {
  const { platformDb, clock, settings } = services;
  const now = clock.now();
  const { schedulerEnabled } = settings.jobs;
  const values = { ...(await valuesOf?.(services)), now };
  const [{ counts, ...rows }, broker] = await Promise.all([
    platformDb.batch({
      ...selectJobs(jobs, now),
      counts: selectOverview(statements, jobs, null, values, { schedulerEnabled }),
    }),
    readBroker(services, []),
  ]);
  const { entries } = presentOverview(statements.entries, counts.first ?? {}, null, now);
  const view = presentJobs(jobs, { ...toOverview(rows), broker }, { schedulerEnabled, now });
  return {
    entries: entries.map(({ code, count, is_capped }) => ({ code, count, is_capped })),
    jobs: view.jobs.map(({ job, health }) => ({ job, health })),
    scheduler_state: view.scheduler_state,
    broker_reachable: view.broker_reachable,
  };
}
