import { TOTAL_KEYS } from "../../../db/email/stats";
import { LANES } from "../../../schemas/email/lanes";
import { jobFamilies } from "../../kit/jobs/metrics.present";
import type { Family, Sample } from "../../kit/metrics/exposition";
import { webhookFamilies } from "../../kit/webhooks/metrics.present";
import { jobs } from "../jobs";
import type { Figures, GlobalFigures } from "./metrics";

const SCOPES = ["company", "platform"] as const;

/** The series of one company, each with its `company_id`. */
export function companyFamilies(figures: Figures & { companyId: number }): Family[] {
  const { companyId, webhooks, now } = figures;
  return [...messageFamilies(figures), ...webhookFamilies("email", webhooks.rows, { now, companyId })];
}

/** The series over all companies, and those of the scheduled jobs. */
export function globalFamilies(figures: GlobalFigures): Family[] {
  const { webhooks, now } = figures;
  return [
    ...messageFamilies(figures),
    breakerFamily(figures),
    ...webhookFamilies("email", webhooks.rows, { now }),
    ...jobFamilies("email", jobs, figures.jobs, figures),
  ];
}

function family(name: string, type: Family["type"], help: string, samples: Sample[]): Family {
  return { name: `platform_email_${name}`, type, help, samples };
}

function messageFamilies({ companyId, totals, queue, pausesForAll, pausesOfCompanies, now }: Figures): Family[] {
  const own = companyId === null ? {} : { company_id: companyId };
  const totalOf = (lane: string) => totals.rows.find((row) => row.lane === lane);
  const queueOf = (lane: string) => queue.rows.find((row) => row.lane === lane);
  const byLane = (value: (lane: string) => number): Sample[] =>
    LANES.map((lane) => ({ labels: { ...own, lane }, value: value(lane) }));
  const ofCompanies = companyId === null ? pausesOfCompanies.rows : [];
  const ofScope = companyId === null ? pausesForAll.rows : [...pausesForAll.rows, ...pausesOfCompanies.rows];
  const isPaused = (lane: string) => ofScope.some((pause) => pause.lane === lane);
  return [
    family(
      "messages_total",
      "counter",
      "Messages by what became of them.",
      LANES.flatMap((lane) =>
        TOTAL_KEYS.map((status) => ({ labels: { ...own, lane, status }, value: totalOf(lane)?.[status] ?? 0 })),
      ),
    ),
    family(
      "queue_depth",
      "gauge",
      "Messages that wait to be sent.",
      byLane((lane) => queueOf(lane)?.waiting ?? 0),
    ),
    family(
      "queue_oldest_age_seconds",
      "gauge",
      "For how long the oldest waiting message has waited.",
      byLane((lane) => Math.max(0, Math.floor((now - (queueOf(lane)?.oldest ?? now)) / 1000))),
    ),
    family("auth_ttl_expiries", "gauge", "Sign-in messages that were not sent in time.", [
      { labels: own, value: totalOf("auth")?.expired ?? 0 },
    ]),
    family("lane_paused", "gauge", "1 when the lane is paused; with company_id: for that company.", [
      ...byLane((lane) => (isPaused(lane) ? 1 : 0)),
      ...ofCompanies.map(({ lane, company_id }) => ({ labels: { lane, company_id }, value: 1 })),
    ]),
  ];
}

function breakerFamily({ breakers }: GlobalFigures): Family {
  const openOf = (scope: string, lane: string) =>
    breakers.rows.find((row) => row.scope === scope && row.lane === lane)?.open ?? 0;
  const samples = SCOPES.flatMap((scope) =>
    LANES.map((lane) => ({ labels: { scope, lane }, value: openOf(scope, lane) })),
  );
  return family("sender_breaker_open", "gauge", "Senders that are left out because they failed in a row.", samples);
}
