import type { JobCounterRow, JobStateRow } from "../../../db/kit/jobs";
import { refuseCompanyId } from "../../kit/http/request/company-scope";
import type { JobSet } from "../../kit/jobs/job";
import { type BrokerView, type JobTotals, readBroker, totalsStatements } from "../../kit/jobs/job.store";
import { Problem } from "../../kit/problem";
import { actionsFigures, type FigureRow } from "../../kit/webhooks/metrics.store";
import { requireCallerWith } from "../caller/caller";
import type { IdentityServices } from "../services";
import {
  type CounterRow,
  countWaitingMail,
  findCounters,
  findSeen,
  findTotals,
  listCounters,
  type SeenRow,
  type TotalsRow,
} from "./metrics.store";

/** What a scrape found; rows that are not there yet count as 0. `now` is unix ms. */
export type Figures = {
  totals: TotalsRow | undefined;
  seen: SeenRow | undefined;
  counters: CounterRow[];
  actions: FigureRow[];
  now: number;
};

/** What the scrape over all companies found. */
export type GlobalFigures = Figures & {
  pendingMail: number;
  jobs: JobTotals & { broker: BrokerView };
  schedulerEnabled: boolean;
};

const dayMs = 86_400_000;

/** First days of the present UTC day, ISO week (from Monday) and month, as unix days. */
export function periodStarts(now: number): { day: number; week: number; month: number } {
  const day = Math.floor(now / dayMs);
  const date = new Date(now);
  // Unix day 0 was a Thursday.
  return { day, week: day - ((day + 3) % 7), month: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / dayMs };
}

function seenIn(services: IdentityServices, companyId: number): D1PreparedStatement {
  const { day, week, month } = periodStarts(services.clock.now());
  return findSeen.bind(services.db, companyId, day, week, month);
}

/** The figures of the token's company, for its owners and staff (details 10); one round trip of five statements. */
export async function readCompanyMetrics(
  services: IdentityServices,
  request: Request,
): Promise<Figures & { companyId: number }> {
  const { db, clock } = services;
  const now = clock.now();
  type Results = [TotalsRow, SeenRow, CounterRow, FigureRow];
  const { caller, results } = await requireCallerWith<Results>(services, request, (companyId) => [
    ...[findTotals.bind(db, companyId), seenIn(services, companyId), findCounters.bind(db, companyId)],
    actionsFigures(db, companyId, now),
  ]);
  await refuseCompanyId(request);
  if (!caller.isStaff && !caller.isOwner) throw new Problem("forbidden");
  const [totals, seen, counters, actions] = results;
  return {
    companyId: caller.companyId,
    totals: totals.results[0],
    seen: seen.results[0],
    counters: counters.results,
    actions: actions.results,
    now,
  };
}

/**
 * The figures over all companies, for staff with a session and for tokens with live global-metrics power (details 10); a
 * staff user's plain token is refused. One round trip of eight statements; a `company_id` is ignored.
 */
export async function readGlobalMetrics(
  services: IdentityServices,
  request: Request,
  set: JobSet<IdentityServices>,
): Promise<GlobalFigures> {
  const { db, clock, settings } = services;
  const now = clock.now();
  type Results = [TotalsRow, SeenRow, CounterRow, { pending: number }, FigureRow, JobStateRow, JobCounterRow];
  const { caller, results } = await requireCallerWith<Results>(services, request, () => [
    ...[findTotals.bind(db, 0), seenIn(services, 0), listCounters.bind(db), countWaitingMail.bind(db)],
    actionsFigures(db, null, now),
    ...totalsStatements(db, set),
  ]);
  const { credential } = caller;
  const isAdmitted = credential.kind === "session" ? caller.isStaff : credential.seesGlobalMetrics;
  if (!isAdmitted) throw new Problem("forbidden");
  const [totals, seen, counters, mail, actions, states, jobCounters] = results;
  const broker = await readBroker(services, []);
  return {
    totals: totals.results[0],
    seen: seen.results[0],
    counters: counters.results,
    pendingMail: mail.results[0]?.pending ?? 0,
    jobs: { states: states.results, counters: jobCounters.results, broker },
    schedulerEnabled: settings.jobs.schedulerEnabled,
    actions: actions.results,
    now,
  };
}
