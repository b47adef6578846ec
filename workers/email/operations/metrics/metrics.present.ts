import { LATENCY_BUCKETS } from "../../../../db/email/conditions/counters";
import { TOTAL_KEYS } from "../../../../db/email/conditions/stats";
import { SUPPRESSION_REASONS } from "../../../../schemas/email/audience/suppressions";
import { LANES } from "../../../../schemas/email/delivery/lanes";
import { SKIP_REASONS } from "../../../../schemas/email/delivery/stats";
import { jobFamilies } from "../../../kit/jobs/api/metrics.present";
import type { JobSet } from "../../../kit/jobs/job";
import type { Family, Sample } from "../../../kit/metrics/exposition";
import { webhookFamilies } from "../../../kit/webhooks/metrics.present";
import type { EmailServices } from "../../services";
import type { GlobalMetrics, Metrics } from "./metrics";
import { COMPLAINTS, WAITING } from "./metrics.store";

const SCOPES = ["company", "platform"] as const;

/** The series of one company, each with its `company_id`. */
export function companyFamilies(metrics: Metrics & { companyId: number }): Family[] {
  const { companyId, webhooks, now } = metrics;
  return [...messageFamilies(metrics), ...webhookFamilies("email", webhooks.rows, { now, companyId })];
}

/** The series over all companies, and those of the scheduled jobs. */
export function globalFamilies(metrics: GlobalMetrics, jobs: JobSet<EmailServices>): Family[] {
  const { webhooks, now } = metrics;
  return [
    ...messageFamilies(metrics),
    breakerFamily(metrics),
    ...providerEventFamilies(metrics),
    ...webhookFamilies("email", webhooks.rows, { now }),
    ...jobFamilies("email", jobs, metrics.jobs, metrics),
  ];
}

function family(name: string, type: Family["type"], help: string, samples: Sample[]): Family {
  return { name: `platform_email_${name}`, type, help, samples };
}

function messageFamilies(metricRows: Metrics): Family[] {
  const { companyId, totals, queue, pauses, now } = metricRows;
  const companyLabels = companyId === null ? {} : { company_id: companyId };
  const totalOf = (lane: string) => totals.rows.find((row) => row.lane === lane);
  const queueOf = (lane: string) => queue.rows.find((row) => row.lane === lane);
  const byLane = (value: (lane: string) => number): Sample[] =>
    LANES.map((lane) => ({ labels: { ...companyLabels, lane }, value: value(lane) }));
  const ofCompanies = companyId === null ? pauses.rows.filter(({ company_id }) => company_id > 0) : [];
  const ofScope = companyId === null ? pauses.rows.filter(({ company_id }) => company_id === 0) : pauses.rows;
  const isPaused = (lane: string) => ofScope.some((pause) => pause.lane === lane);
  return [
    family(
      "messages_total",
      "counter",
      "Messages by what became of them.",
      LANES.flatMap((lane) =>
        TOTAL_KEYS.map((status) => ({
          labels: { ...companyLabels, lane, status },
          value: totalOf(lane)?.[status] ?? 0,
        })),
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
      { labels: companyLabels, value: totalOf("auth")?.expired ?? 0 },
    ]),
    family("lane_paused", "gauge", "1 when the lane is paused; with company_id: for that company.", [
      ...byLane((lane) => (isPaused(lane) ? 1 : 0)),
      ...ofCompanies.map(({ lane, company_id }) => ({ labels: { lane, company_id }, value: 1 })),
    ]),
    ...gaugeFamilies(metricRows, companyLabels),
  ];
}

const QUANTILES = [0.5, 0.95];
const LIMITS = ["company_auth", "recipient_auth", "company_transactional", "recipient_transactional"];

function gaugeFamilies({ metrics }: Metrics, companyLabels: Record<string, number>): Family[] {
  const of = (name: string) => metrics.rows.filter((row) => row.name === name);
  const sumOf = (name: string, a: string) => of(name).find((row) => row.a === a)?.n ?? 0;
  const quantiles = (name: string): Sample[] => {
    const latencies = of(name);
    return LANES.flatMap((lane) =>
      QUANTILES.map((quantile) => ({
        labels: { ...companyLabels, lane, quantile },
        value: quantileOf(
          latencies.filter(({ a }) => a === lane),
          quantile,
        ),
      })),
    );
  };
  return [
    family(
      "send_latency_seconds",
      "gauge",
      "From acceptance to the provider, of the last 24 hours.",
      quantiles("send_latency"),
    ),
    family(
      "delivery_latency_seconds",
      "gauge",
      "From the provider to the mailbox, of the last 24 hours.",
      quantiles("delivery_latency"),
    ),
    family(
      "provider_errors",
      "gauge",
      "Attempts of the last 24 hours that a provider did not accept.",
      of("provider_error").map(({ a, b, n }) => ({
        labels: { ...companyLabels, provider: a, error_code: b },
        value: n,
      })),
    ),
    family(
      "complaint_ratio",
      "gauge",
      "Complaints by bulk messages that were taken, of the last 7 days.",
      complaintSamples(of(COMPLAINTS), companyLabels.company_id),
    ),
    family(
      "rate_limited_total",
      "counter",
      "Sends and items of batches that a limit refused.",
      LIMITS.map((limit) => ({ labels: { ...companyLabels, limit }, value: sumOf("rate_limited", limit) })),
    ),
    family(
      "skipped_total",
      "counter",
      "Accepted events that queued no message.",
      SKIP_REASONS.map((reason) => ({ labels: { ...companyLabels, reason }, value: sumOf("skipped", reason) })),
    ),
    family(
      "suppressions_total",
      "gauge",
      "Suppressions that are kept.",
      SUPPRESSION_REASONS.map((reason) => ({
        labels: { ...companyLabels, reason },
        value: sumOf("suppressions", reason),
      })),
    ),
  ];
}

/** Of the company, or of each that somebody complained of. */
function complaintSamples(
  counts: readonly { a: string; b: string; n: number }[],
  companyLabels: number | undefined,
): Sample[] {
  const companies = companyLabels === undefined ? [...new Set(counts.map(({ a }) => Number(a)))] : [companyLabels];
  return companies.map((company_id) => {
    const of = (key: string) => counts.find(({ a, b }) => Number(a) === company_id && b === key)?.n ?? 0;
    return { labels: { company_id }, value: of("complained") / Math.max(1, of("taken")) };
  });
}

/** Seconds below which this part of a histogram lies, even within a bucket; 0 for an empty one. */
function quantileOf(buckets: readonly { b: string; n: number }[], quantile: number): number {
  const targetCount = buckets.reduce((sum, { n }) => sum + n, 0) * quantile;
  let [seen, lower] = [0, 0];
  for (const upper of LATENCY_BUCKETS) {
    const count = buckets.find(({ b }) => b === String(upper))?.n ?? 0;
    if (count > 0 && seen + count >= targetCount)
      return (lower + ((upper - lower) * (targetCount - seen)) / count) / 1000;
    seen += count;
    lower = upper;
  }
  return 0;
}

function providerEventFamilies({ metrics }: GlobalMetrics): Family[] {
  const metricRows = metrics.rows.filter(({ name }) => name === "provider_event");
  const counted = metricRows.filter(({ a }) => a !== "");
  const samples = counted.map(({ a, b, n }) => ({ labels: { type: a, result: b }, value: n }));
  const waits = [{ labels: {}, value: metricRows.find(({ a, b }) => a === "" && b === WAITING)?.n ?? 0 }];
  return [
    family("provider_events_total", "counter", "What providers told, by what came of it.", samples),
    family("provider_events_waiting", "gauge", "What a provider told of messages that are not known yet.", waits),
  ];
}

function breakerFamily({ breakers }: GlobalMetrics): Family {
  const openOf = (scope: string, lane: string) =>
    breakers.rows.find((row) => row.scope === scope && row.lane === lane)?.open ?? 0;
  const samples = SCOPES.flatMap((scope) =>
    LANES.map((lane) => ({ labels: { scope, lane }, value: openOf(scope, lane) })),
  );
  return family("sender_breaker_open", "gauge", "Senders that are left out because they failed in a row.", samples);
}
