import type * as z from "zod";
import type { overviewSchema } from "../../../schemas/overview";
import type { JobSet } from "../jobs/job";
import { iso } from "../time";
import { COUNTED_ROWS, type Figure, type OverviewStatements, type Tally } from "./figure.store";
import type { WatchedJob } from "./kit-figures.store";

/** The values of the parameters that a service adds to those of the kit. */
export type OverviewValues = Record<string, unknown>;

/** Returns the statement that reads the figures of a company, or of all companies when null. `now` is unix ms. */
export function selectOverview<S>(
  { ofCompany, ofAll }: OverviewStatements,
  jobs: JobSet<S>,
  companyId: number | null,
  values: OverviewValues & { now: number },
  { schedulerEnabled }: { schedulerEnabled: boolean },
) {
  if (companyId !== null) return ofCompany({ ...values, company: companyId });
  const watched = jobs.jobs.map(({ name, overdueAfterSeconds }): WatchedJob => {
    return { job: name, overdue_ms: schedulerEnabled ? overdueAfterSeconds * 1000 : Number.MAX_SAFE_INTEGER };
  });
  return ofAll({ ...values, jobs: watched });
}

/** Returns the response: one entry per figure. `now` is the time at which the figures were read (unix ms). */
export function presentOverview(
  figures: readonly Figure[],
  row: Record<string, Tally>,
  companyId: number | null,
  now: number,
): z.input<typeof overviewSchema> {
  const entries = figures.flatMap((figure) => {
    const tally = row[figure.code];
    return tally === undefined ? [] : [presentFigure(figure, tally, companyId, now)];
  });
  return { company_id: companyId, entries };
}

function presentFigure(
  { code, severity, sinceMs, list }: Figure,
  [matched, counted, companies]: Tally,
  companyId: number | null,
  now: number,
) {
  const since = iso(now - (sinceMs ?? 0));
  const callOf = (id: number | null) => {
    const path = list({ companyId: id, since });
    return path === null ? null : ({ method: "GET", path } as const);
  };
  const named = companies
    .filter(([id]) => id > 0)
    .toSorted(([idA, countA], [idB, countB]) => countB - countA || idA - idB)
    .map(([company_id, count]) => ({ company_id, count: Math.min(count, COUNTED_ROWS), list: callOf(company_id) }));
  return {
    code,
    severity,
    count: Math.min(matched, COUNTED_ROWS),
    is_capped: counted > COUNTED_ROWS,
    since: sinceMs === undefined ? null : since,
    list: callOf(companyId),
    ...(companyId === null ? { companies: named } : {}),
  };
}
