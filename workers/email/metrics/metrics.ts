import type { JobCounterRow, JobStateRow } from "../../../db/kit/jobs";
import { requireAdmin } from "../../kit/auth/caller";
import { requireOwner } from "../../kit/auth/role";
import { type BrokerView, type JobTotals, readBroker, totalsStatements } from "../../kit/jobs/job.store";
import { actionsFigures, type FigureRow } from "../../kit/webhooks/metrics.store";
import { jobs } from "../jobs";
import { fingerprintPlatform } from "../sender/sender";
import type { EmailServices } from "../services";
import {
  type BreakerCount,
  breakerFigures,
  messageFigures,
  type PauseRow,
  type QueueRow,
  type TotalsRow,
} from "./metrics.store";

/** What a scrape found; `now` is unix ms. `companyId` null: over all companies. */
export type Figures = {
  companyId: number | null;
  totals: TotalsRow[];
  queue: QueueRow[];
  pauses: PauseRow[];
  actions: FigureRow[];
  now: number;
};

/** What the scrape over all companies found besides. */
export type GlobalFigures = Figures & {
  breakers: BreakerCount[];
  jobs: JobTotals & { broker: BrokerView };
  schedulerEnabled: boolean;
};

type Results<Rows extends unknown[]> = { [K in keyof Rows]: D1Result<Rows[K]> };
type MessageResults = [TotalsRow, QueueRow, PauseRow, PauseRow, FigureRow];

/**
 * The company of a scrape (email details 14): the one that the query names, for staff and its owner; without one the
 * owner's own, and null, every company, for staff and tokens made with `access_global_metrics`.
 */
export async function requireMetricsScope(services: EmailServices, request: Request): Promise<number | null> {
  const caller = await requireAdmin(request, services);
  const query = new URL(request.url).searchParams.get("company_id") ?? undefined;
  if (query === undefined && (caller.isStaff || caller.seesAllMetrics)) return null;
  return requireOwner(caller, { query });
}

/** The figures of one company, in one round trip. */
export async function readCompanyFigures(services: EmailServices, companyId: number): Promise<Figures> {
  const { db, clock } = services;
  const now = clock.now();
  const results = await db.batch<MessageResults>([
    ...messageFigures(db, companyId, await platformOf(services)),
    actionsFigures(db, companyId, now),
  ]);
  return toFigures(companyId, results, now);
}

/** The figures over all companies: one round trip of eight statements, beside the question to the broker. */
export async function readGlobalFigures(services: EmailServices): Promise<GlobalFigures> {
  const { db, clock, settings } = services;
  const now = clock.now();
  const platform = await platformOf(services);
  const [results, broker] = await Promise.all([
    db.batch<[...MessageResults, BreakerCount, JobStateRow, JobCounterRow]>([
      ...messageFigures(db, null, platform),
      actionsFigures(db, null, now),
      breakerFigures(db, now),
      ...totalsStatements(db, jobs),
    ]),
    readBroker(services, []),
  ]);
  const [totals, queue, forAll, companies, actions, breakers, states, counters] = results;
  return {
    ...toFigures(null, [totals, queue, forAll, companies, actions], now),
    breakers: breakers.results,
    jobs: { states: states.results, counters: counters.results, broker },
    schedulerEnabled: settings.jobs.schedulerEnabled,
  };
}

async function platformOf(services: EmailServices): Promise<string> {
  return fingerprintPlatform(services.settings, await services.keys());
}

function toFigures(
  companyId: number | null,
  [totals, queue, forAll, companies, actions]: Results<MessageResults>,
  now: number,
): Figures {
  return {
    companyId,
    totals: totals.results,
    queue: queue.results,
    pauses: [...forAll.results, ...companies.results],
    actions: actions.results,
    now,
  };
}
