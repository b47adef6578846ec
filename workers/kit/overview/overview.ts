import type * as z from "zod";
import type { overviewSchema } from "../../../schemas/overview";
import type { JobSet } from "../jobs/job";
import { iso } from "../time";
import { type EntryCounts, MAX_COUNTED_ROWS, type OverviewEntry, type OverviewStatements } from "./entry.store";
import type { JobDeadline } from "./kit-entries.store";

/** The values of the parameters that a service adds to those of the kit. */
export type OverviewValues = Record<string, unknown>;

/** Returns the statement that reads the entries of a company, or of all companies when null. `now` is unix ms. */
export function selectOverview<S>(
  { ofCompany, ofAll }: OverviewStatements,
  jobs: JobSet<S>,
  companyId: number | null,
  values: OverviewValues & { now: number },
  { schedulerEnabled }: { schedulerEnabled: boolean },
) {
  if (companyId !== null) return ofCompany({ ...values, company: companyId });
  const deadlines = jobs.jobs.map(({ name, overdueAfterSeconds }): JobDeadline => {
    return { job: name, overdue_ms: schedulerEnabled ? overdueAfterSeconds * 1000 : Number.MAX_SAFE_INTEGER };
  });
  return ofAll({ ...values, jobs: deadlines });
}

/** Returns the response: one entry per definition. `now` is the time at which the rows were counted (unix ms). */
export function presentOverview(
  entryDefinitions: readonly OverviewEntry[],
  row: Record<string, EntryCounts>,
  companyId: number | null,
  now: number,
): z.input<typeof overviewSchema> {
  const entries = entryDefinitions.flatMap((definition) => {
    const counts = row[definition.code];
    return counts === undefined ? [] : [presentEntry(definition, counts, companyId, now)];
  });
  return { company_id: companyId, entries };
}

function presentEntry(
  { code, severity, sinceMs, list }: OverviewEntry,
  [matched, counted, companies]: EntryCounts,
  companyId: number | null,
  now: number,
) {
  const since = iso(now - (sinceMs ?? 0));
  const callOf = (id: number | null) => {
    const path = list({ companyId: id, since });
    return path === null ? null : ({ method: "GET", path } as const);
  };
  const topCompanies = companies
    .filter(([id]) => id > 0)
    .toSorted(([idA, countA], [idB, countB]) => countB - countA || idA - idB)
    .map(([company_id, count]) => ({ company_id, count: Math.min(count, MAX_COUNTED_ROWS), list: callOf(company_id) }));
  return {
    code,
    severity,
    count: Math.min(matched, MAX_COUNTED_ROWS),
    is_capped: counted > MAX_COUNTED_ROWS,
    since: sinceMs === undefined ? null : since,
    list: callOf(companyId),
    ...(companyId === null ? { companies: topCompanies } : {}),
  };
}
