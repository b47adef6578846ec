import type { RowOfStatement } from "../../../kit/db/statement";
import { noRequestedCompany, rejectCompanyId } from "../../../kit/http/request/company-scope";
import { type JobTotals, jobTotals, toTotals } from "../../../kit/jobs/api/overview";
import type { JobSet } from "../../../kit/jobs/job";
import { type BrokerView, readBroker } from "../../../kit/jobs/lock/broker";
import { DAY_MS } from "../../../kit/time";
import { type MetricRow, selectWebhookMetrics } from "../../../kit/webhooks/metrics";
import { authorizeCaller } from "../../caller/credentials/authorize";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { signInMethods } from "../../sign-in/methods/catalog";
import { type CountRow, findCounts, listCounts } from "./counts.store";
import { countActiveUsers, countWaitingMail, findTotals } from "./metrics.store";

/** A total of a company. `label` is empty when the total has no label. */
export type CounterRow = CountRow & { label: string };

/** The metrics of a company. A missing row counts as 0. `now` is unix ms. */
export type CompanyMetrics = {
  totals: RowOfStatement<typeof findTotals> | null;
  activeUsers: RowOfStatement<typeof countActiveUsers> | null;
  counters: CounterRow[];
  webhooks: MetricRow[];
  now: number;
};

/** The metrics of all companies together. */
export type GlobalMetrics = CompanyMetrics & {
  pendingMail: number;
  jobs: JobTotals & { broker: BrokerView };
  schedulerEnabled: boolean;
};

/** Returns the first days of the current UTC day, ISO week (from Monday) and month, as unix days. */
export function periodStarts(now: number): { day: number; week: number; month: number } {
  const day = Math.floor(now / DAY_MS);
  const date = new Date(now);
  // Unix day 0 was a Thursday.
  return { day, week: day - ((day + 3) % 7), month: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / DAY_MS };
}

const sums = Object.values(signInMethods).flatMap(({ sum }) => sum ?? []);
const hidden = new Set(sums.flatMap((sum) => sum.hidden));

/** Returns the totals that the metrics show. Adds the sums that sign-in methods define and omits the counts that they hide. */
export function toCounters(counts: readonly CountRow[]): CounterRow[] {
  const sumCounters = sums.flatMap(({ counter, addends }) => {
    const values = new Map<number, number>();
    for (const { company_id, name, value } of counts) {
      if (addends.includes(name)) values.set(company_id, (values.get(company_id) ?? 0) + value);
    }
    return [...values].map(([company_id, value]) => ({ company_id, name: counter, label: "", value }));
  });
  return [
    ...counts
      .filter(({ name }) => !hidden.has(name))
      .map(({ name, ...row }) => {
        const [total = "", ...label] = name.split(":");
        return { ...row, name: total, label: label.join(":") };
      }),
    ...sumCounters,
  ];
}

/**
 * Returns the metrics of the token's company in one round trip of five statements. Throws 403 `forbidden` unless the caller
 * is an owner or staff.
 */
export async function readCompanyMetrics(
  services: IdentityServices,
  request: Request,
): Promise<CompanyMetrics & { companyId: number }> {
  const now = services.clock.now();
  const { caller, scope, results } = await authorizeCaller(services, request, {
    role: "self",
    requestedCompany: noRequestedCompany,
    reads: ({ companyId }) =>
      companyId === null
        ? null
        : {
            totals: findTotals({ companyId }),
            activeUsers: countActiveUsers({ companyId, ...periodStarts(now) }),
            counters: findCounts({ companyId }),
            webhooks: selectWebhookMetrics(companyId, now),
          },
  });
  await rejectCompanyId(request);
  if (!caller.isStaff && !caller.isOwner) throw new Problem("forbidden");
  const { totals, activeUsers, counters, webhooks } = results;
  return {
    companyId: scope,
    totals: totals.first,
    activeUsers: activeUsers.first,
    counters: toCounters(counters.rows),
    webhooks: webhooks.rows,
    now,
  };
}

/**
 * Returns the metrics of all companies in one round trip of eight statements. Throws 403 `forbidden` unless the caller is
 * staff with a session, or uses a token that still has the global-metrics permission. A staff user's token without this
 * permission is rejected. Ignores `company_id`.
 */
export async function readGlobalMetrics(
  services: IdentityServices,
  request: Request,
  set: JobSet<IdentityServices>,
): Promise<GlobalMetrics> {
  const now = services.clock.now();
  const { states, counters: jobCounters } = jobTotals(set);
  const { caller, results } = await authorizeCaller(services, request, {
    role: "self",
    requestedCompany: noRequestedCompany,
    reads: () => ({
      totals: findTotals({ companyId: 0 }),
      activeUsers: countActiveUsers({ companyId: 0, ...periodStarts(now) }),
      counters: listCounts(),
      mail: countWaitingMail(),
      webhooks: selectWebhookMetrics(null, now),
      states,
      jobCounters,
    }),
  });
  const { credential } = caller;
  const isAdmitted = credential.kind === "session" ? caller.isStaff : credential.seesGlobalMetrics;
  if (!isAdmitted) throw new Problem("forbidden");
  const { totals, activeUsers, counters, mail, webhooks } = results;
  const broker = await readBroker(services, []);
  return {
    totals: totals.first,
    activeUsers: activeUsers.first,
    counters: toCounters(counters.rows),
    pendingMail: mail.first?.pending ?? 0,
    jobs: { ...toTotals({ states: results.states, counters: results.jobCounters }), broker },
    schedulerEnabled: services.settings.jobs.schedulerEnabled,
    webhooks: webhooks.rows,
    now,
  };
}
