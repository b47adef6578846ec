import { type CallerServices, requireAdmin } from "../auth/caller";
import { isOwnerOf } from "../auth/role";
import type { BatchResults, Db } from "../db/db";
import type { Reads } from "../http/call";
import { companyScope, rejectCompanyId } from "../http/request/company-scope";
import { type JobTotals, jobTotals, toTotals } from "../jobs/api/overview";
import type { JobServices, JobSet } from "../jobs/job";
import { type BrokerView, readBroker } from "../jobs/lock/broker";
import { Problem } from "../problem";
import { type MetricRow, selectWebhookMetrics } from "../webhooks/metrics";
import type { Family } from "./exposition";

/** The services that a metrics scrape uses. */
export type ScrapeServices = CallerServices & JobServices;

/** The metrics of a service in addition to its jobs and webhooks. `now` is unix ms. */
export type ServiceMetrics<R extends Reads> = {
  /** returns the statements for one company, or for all when null, under names that the service chooses */
  reads: (companyId: number | null, now: number) => R;
  /** returns the metrics; `totals` are the stored counters of the company, or of all companies when null */
  families: (results: BatchResults<R>, scope: { companyId: number | null; totals: readonly MetricRow[] }) => Family[];
};

type Scrape = { webhooks: MetricRow[]; serviceFamilies: Family[]; now: number };

/** The values that a scrape of one company shows. */
export type CompanyMetrics = Scrape & { companyId: number };

/** The values that a scrape of all companies shows. */
export type GlobalMetrics = Scrape & { jobs: JobTotals & { broker: BrokerView }; schedulerEnabled: boolean };

/**
 * Reads the metrics of the token's company in one round trip, for its owners and for staff. Throws 400, 401, 403, 413
 * or 503.
 */
export async function readCompanyMetrics<R extends Reads>(
  services: ScrapeServices,
  request: Request,
  serviceMetrics: ServiceMetrics<R>,
): Promise<CompanyMetrics> {
  const caller = await requireAdmin(request, services);
  await rejectCompanyId(request);
  const companyId = companyScope({ token: caller.companyId });
  if (!isOwnerOf(caller, companyId)) throw new Problem("forbidden");
  const now = services.clock.now();
  const kitReads = { webhooks: selectWebhookMetrics(companyId, now) };
  const results = await readAll(services.dbOf(companyId), serviceMetrics.reads(companyId, now), kitReads);
  const webhooks = results.webhooks.rows;
  return {
    companyId,
    now,
    webhooks,
    serviceFamilies: serviceMetrics.families(results, { companyId, totals: webhooks }),
  };
}

/**
 * Reads the metrics of all companies, for staff and for tokens with `access_global_metrics`. Makes one round trip, in
 * parallel with the requests to the broker. Throws 401, 403 or 503.
 */
export async function readGlobalMetrics<S extends ScrapeServices, R extends Reads>(
  services: S,
  request: Request,
  jobs: JobSet<S>,
  serviceMetrics: ServiceMetrics<R>,
): Promise<GlobalMetrics> {
  const caller = await requireAdmin(request, services);
  if (!caller.isStaff && !caller.seesAllMetrics) throw new Problem("forbidden");
  const { platformDb, clock, settings } = services;
  const now = clock.now();
  const kitReads = { ...jobTotals(jobs), webhooks: selectWebhookMetrics(null, now) };
  const [results, broker] = await Promise.all([
    readAll(platformDb, serviceMetrics.reads(null, now), kitReads),
    readBroker(services, []),
  ]);
  return {
    now,
    webhooks: results.webhooks.rows,
    serviceFamilies: serviceMetrics.families(results, { companyId: null, totals: results.webhooks.rows }),
    jobs: { ...toTotals(results), broker },
    schedulerEnabled: settings.jobs.schedulerEnabled,
  };
}

/** Runs the service's and the kit's statements in one batch. */
async function readAll<ServiceReads extends Reads, Kit extends Reads>(
  db: Db,
  serviceReads: ServiceReads,
  kit: Kit,
): Promise<BatchResults<ServiceReads> & BatchResults<Kit>> {
  const results = await db.batch<Reads>({ ...serviceReads, ...kit });
  return results as BatchResults<ServiceReads> & BatchResults<Kit>;
}
