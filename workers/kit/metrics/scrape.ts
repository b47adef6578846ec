import { type CallerServices, requireAdmin } from "../auth/caller";
import { isOwnerOf } from "../auth/role";
import type { BatchResults, Db } from "../db/db";
import type { Reads } from "../http/call";
import { companyScope, refuseCompanyId } from "../http/request/company-scope";
import { type JobTotals, jobTotals, toTotals } from "../jobs/api/overview";
import type { JobServices, JobSet } from "../jobs/job";
import { type BrokerView, readBroker } from "../jobs/lock/broker";
import { Problem } from "../problem";
import { type FigureRow, webhookFigures } from "../webhooks/metrics";
import type { Family } from "./exposition";

/** The dependencies of a scrape. */
export type ScrapeServices = CallerServices & JobServices;

/** The metrics of a service in addition to its jobs and webhooks. `now` is unix ms. */
export type OwnFigures<R extends Reads> = {
  /** the statements for one company, or for all of them (null), under names of the service's own */
  reads: (companyId: number | null, now: number) => R;
  /** `totals` are the stored counters of the company, or of all (null) */
  families: (found: BatchResults<R>, scope: { companyId: number | null; totals: readonly FigureRow[] }) => Family[];
};

/** For services without metrics of their own. */
export const noFigures: OwnFigures<Record<never, never>> = { reads: () => ({}), families: () => [] };

type Found = { webhooks: FigureRow[]; own: Family[]; now: number };

/** The results for the scrape of one company. */
export type CompanyFigures = Found & { companyId: number };

/** The results for the scrape of all companies. */
export type GlobalFigures = Found & { jobs: JobTotals & { broker: BrokerView }; schedulerEnabled: boolean };

/** Reads the metrics of the token's company, for its owners and staff. One round trip. */
export async function readCompanyFigures<R extends Reads>(
  services: ScrapeServices,
  request: Request,
  own: OwnFigures<R>,
): Promise<CompanyFigures> {
  const caller = await requireAdmin(request, services);
  await refuseCompanyId(request);
  const companyId = companyScope({ token: caller.companyId });
  if (!isOwnerOf(caller, companyId)) throw new Problem("forbidden");
  const now = services.clock.now();
  const kitReads = { webhooks: webhookFigures(companyId, now) };
  const found = await readAll(services.dbOf(companyId), own.reads(companyId, now), kitReads);
  const webhooks = found.webhooks.rows;
  return { companyId, now, webhooks, own: own.families(found, { companyId, totals: webhooks }) };
}

/**
 * Reads the metrics of all companies, for staff and for tokens with `access_global_metrics`. One round trip, in
 * parallel with the request to the broker.
 */
export async function readGlobalFigures<S extends ScrapeServices, R extends Reads>(
  services: S,
  request: Request,
  jobs: JobSet<S>,
  own: OwnFigures<R>,
): Promise<GlobalFigures> {
  const caller = await requireAdmin(request, services);
  if (!caller.isStaff && !caller.seesAllMetrics) throw new Problem("forbidden");
  const { platformDb, clock, settings } = services;
  const now = clock.now();
  const kitReads = { ...jobTotals(jobs), webhooks: webhookFigures(null, now) };
  const [found, broker] = await Promise.all([
    readAll(platformDb, own.reads(null, now), kitReads),
    readBroker(services, []),
  ]);
  return {
    now,
    webhooks: found.webhooks.rows,
    own: own.families(found, { companyId: null, totals: found.webhooks.rows }),
    jobs: { ...toTotals(found), broker },
    schedulerEnabled: settings.jobs.schedulerEnabled,
  };
}

/** Runs the service's and the kit's statements in one batch. */
async function readAll<Own extends Reads, Kit extends Reads>(
  db: Db,
  own: Own,
  kit: Kit,
): Promise<BatchResults<Own> & BatchResults<Kit>> {
  const found = await db.batch<Reads>({ ...own, ...kit });
  return found as BatchResults<Own> & BatchResults<Kit>;
}
