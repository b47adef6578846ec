import type { JobCounterRow, JobStateRow } from "../../../db/kit/jobs";
import { requireAdmin } from "../../kit/auth/caller";
import { isOwnerOf } from "../../kit/auth/role";
import { companyScope, refuseCompanyId } from "../../kit/http/company-scope";
import { type BrokerView, type JobTotals, readBroker, totalsStatements } from "../../kit/jobs/read";
import { Problem } from "../../kit/problem";
import { jobs } from "../jobs/jobs";
import type { HostingServices } from "../services";

/** What the scrape over all companies found; `now` is unix ms. */
export type GlobalFigures = { jobs: JobTotals & { broker: BrokerView }; schedulerEnabled: boolean; now: number };

/** The company of a company scrape, the token's alone, for its owners and staff (details of Document 3, section 2). */
export async function requireMetricsCompany(services: HostingServices, request: Request): Promise<number> {
  const caller = await requireAdmin(request, services);
  await refuseCompanyId(request);
  const companyId = companyScope({ token: caller.companyId });
  if (!isOwnerOf(caller, companyId)) throw new Problem("forbidden");
  return companyId;
}

/**
 * The figures over all companies, for staff and for tokens made with `access_global_metrics`. One round trip, beside the
 * question to the broker.
 */
export async function readGlobalMetrics(services: HostingServices, request: Request): Promise<GlobalFigures> {
  const caller = await requireAdmin(request, services);
  if (!caller.isStaff && !caller.seesAllMetrics) throw new Problem("forbidden");
  const { db, clock, settings } = services;
  const [[states, counters], broker] = await Promise.all([
    db.batch<[JobStateRow, JobCounterRow]>(totalsStatements(db, jobs)),
    readBroker(services, []),
  ]);
  return {
    jobs: { states: states.results, counters: counters.results, broker },
    schedulerEnabled: settings.jobs.schedulerEnabled,
    now: clock.now(),
  };
}
