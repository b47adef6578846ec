import { requireAdmin } from "../../kit/auth/caller";
import { isOwnerOf } from "../../kit/auth/role";
import { companyScope, refuseCompanyId } from "../../kit/http/request/company-scope";
import { type BrokerView, readBroker } from "../../kit/jobs/lock/broker";
import { type JobTotals, jobTotals, toTotals } from "../../kit/jobs/overview";
import { type FigureRow, webhookFigures } from "../../kit/webhooks/metrics";
import { jobs } from "../jobs";
import { Problem } from "../problem";
import type { HostingServices } from "../services";

/** What the scrape of one company found; `now` is unix ms. */
export type CompanyFigures = { companyId: number; webhooks: FigureRow[]; now: number };

/** What the scrape over all companies found; `now` is unix ms. */
export type GlobalFigures = {
  jobs: JobTotals & { broker: BrokerView };
  webhooks: FigureRow[];
  schedulerEnabled: boolean;
  now: number;
};

/** The figures of the token's company, for its owners and staff. One statement. */
export async function readCompanyMetrics(services: HostingServices, request: Request): Promise<CompanyFigures> {
  const caller = await requireAdmin(request, services);
  await refuseCompanyId(request);
  const companyId = companyScope({ token: caller.companyId });
  if (!isOwnerOf(caller, companyId)) throw new Problem("forbidden");
  const { db, clock } = services;
  const now = clock.now();
  return { companyId, now, webhooks: await db.all(webhookFigures(companyId, now)) };
}

/**
 * The figures over all companies, for staff and for tokens made with `access_global_metrics`. One round trip of three
 * statements, beside the question to the broker.
 */
export async function readGlobalMetrics(services: HostingServices, request: Request): Promise<GlobalFigures> {
  const caller = await requireAdmin(request, services);
  if (!caller.isStaff && !caller.seesAllMetrics) throw new Problem("forbidden");
  const { db, clock, settings } = services;
  const now = clock.now();
  const [{ webhooks, ...totals }, broker] = await Promise.all([
    db.batch({ ...jobTotals(jobs), webhooks: webhookFigures(null, now) }),
    readBroker(services, []),
  ]);
  return {
    jobs: { ...toTotals(totals), broker },
    webhooks: webhooks.rows,
    schedulerEnabled: settings.jobs.schedulerEnabled,
    now,
  };
}
