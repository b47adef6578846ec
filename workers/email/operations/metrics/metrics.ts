import { requireAdmin } from "../../../kit/auth/caller";
import { requireOwner } from "../../../kit/auth/role";
import type { Result } from "../../../kit/db/db";
import { parseRequestedCompany } from "../../../kit/http/request/company-scope";
import { type JobTotals, jobTotals, toTotals } from "../../../kit/jobs/api/overview";
import type { JobSet } from "../../../kit/jobs/job";
import { type BrokerView, readBroker } from "../../../kit/jobs/lock/broker";
import { DAY_MS, HOUR_MS } from "../../../kit/time";
import { type MetricRow, selectWebhookMetrics } from "../../../kit/webhooks/metrics";
import { fingerprintPlatform } from "../../delivery/sender/sender";
import type { EmailServices } from "../../services";
import { type BreakerGauges, countOpenBreakers, type MessageGauges, selectMessageMetrics } from "./metrics.store";

/** The data for one scrape. `now` is in ms since the epoch. `companyId` is null for all companies. */
export type Metrics = MessageGauges & { webhooks: Result<MetricRow>; companyId: number | null; now: number };

/** The data for one scrape of all companies. */
export type GlobalMetrics = Metrics & {
  breakers: BreakerGauges;
  jobs: JobTotals & { broker: BrokerView };
  schedulerEnabled: boolean;
};

/**
 * Returns the company to scrape, or null for all companies. Staff and the owners of a company may name it in the query.
 * Without a company in the query, owners get their own company; staff and tokens with `access_global_metrics` get null.
 */
export async function requireMetricsScope(services: EmailServices, request: Request): Promise<number | null> {
  const caller = await requireAdmin(request, services);
  const query = new URL(request.url).searchParams.get("company_id") ?? undefined;
  if (query === undefined && (caller.isStaff || caller.seesAllMetrics)) return null;
  return requireOwner(caller, parseRequestedCompany({ query }));
}

/** Returns the metrics of one company in one round trip. */
export async function readCompanyMetrics(services: EmailServices, companyId: number): Promise<Metrics> {
  const now = services.clock.now();
  const reads = await metricStatements(services, companyId, now);
  return { ...(await services.dbOf(companyId).batch(reads)), companyId, now };
}

/** Returns the metrics of all companies. Takes one database round trip, in parallel with a request to the broker. */
export async function readGlobalMetrics(services: EmailServices, jobs: JobSet<EmailServices>): Promise<GlobalMetrics> {
  const { platformDb, clock, settings } = services;
  const now = clock.now();
  const reads = await metricStatements(services, null, now);
  const [{ states, counters, ...metrics }, broker] = await Promise.all([
    platformDb.batch({ ...reads, breakers: countOpenBreakers({ now }), ...jobTotals(jobs) }),
    readBroker(services, []),
  ]);
  return {
    ...metrics,
    companyId: null,
    now,
    jobs: { ...toTotals({ states, counters }), broker },
    schedulerEnabled: settings.jobs.schedulerEnabled,
  };
}

async function metricStatements({ settings, keys }: EmailServices, companyId: number | null, now: number) {
  const platform = await fingerprintPlatform(settings, await keys());
  const since = Math.floor((now - DAY_MS) / HOUR_MS);
  const day = new Date(now - 7 * DAY_MS).toISOString().slice(0, 10);
  return {
    ...selectMessageMetrics(companyId, platform, { since, day, now }),
    webhooks: selectWebhookMetrics(companyId, now),
  };
}
