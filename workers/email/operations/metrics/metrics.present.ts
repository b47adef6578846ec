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

/** Returns the metrics of one company, labelled with its `company_id`. */
export function companyFamilies(metrics: Metrics & { companyId: number }): Family[] {
  const { companyId, webhooks, now } = metrics;
  return [...messageFamilies(metrics), ...webhookFamilies("email", webhooks.rows, { now, companyId })];
}

/** Returns the metrics of all companies and of the scheduled jobs. */
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
  const companyPauses = companyId === null ? pauses.rows.filter(({ company_id }) => company_id > 0) : [];
  const scopePauses = companyId === null ? pauses.rows.filter(({ company_id }) => company_id === 0) : pauses.rows;
  const isPaused = (lane: string) => scopePauses.some((pause) => pause.lane === lane);
  return [
    family(
      "messages_total",
      "counter",
      "Messages by outcome.",
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
      "Age of the oldest waiting message.",
      byLane((lane) => Math.max(0, Math.floor((now - (queueOf(lane)?.oldest ?? now)) / 1000))),
    ),
    family("auth_ttl_expiries", "gauge", "Sign-in messages that expired before they were sent.", [
      { labels: companyLabels, value: totalOf("auth")?.expired ?? 0 },
    ]),
    family("lane_paused", "gauge", "1 when the lane is paused; with company_id for that company only.", [
      ...byLane((lane) => (isPaused(lane) ? 1 : 0)),
      ...companyPauses.map(({ lane, company_id }) => ({ labels: { lane, company_id }, value: 1 })),
    ]),
    ...gaugeFamilies(metricRows, companyLabels),
  ];
}

const QUANTILES = [0.5, 0.95];
const LIMITS = ["company_auth", "recipient_auth", "company_transactional", "recipient_transactional"];

function gaugeFamilies({ metrics }: Metrics, companyLabels: Record<string, number>): Family[] {
  const rowsOf = (name: string) => metrics.rows.filter((row) => row.name === name);
  const sumOf = (name: string, a: string) => rowsOf(name).find((row) => row.a === a)?.n ?? 0;
  const quantiles = (name: string): Sample[] => {
    const latencies = rowsOf(name);
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
      "Time from acceptance to the provider in the last 24 hours.",
      quantiles("send_latency"),
    ),
    family(
      "delivery_latency_seconds",
      "gauge",
      "Time from the provider to the mailbox in the last 24 hours.",
      quantiles("delivery_latency"),
    ),
    family(
      "provider_errors",
      "gauge",
      "Delivery attempts that failed at a provider in the last 24 hours.",
      rowsOf("provider_error").map(({ a, b, n }) => ({
        labels: { ...companyLabels, provider: a, error_code: b },
        value: n,
      })),
    ),
    family(
      "complaint_ratio",
      "gauge",
      "Complaints per accepted bulk message in the last 7 days.",
      complaintSamples(rowsOf(COMPLAINTS), companyLabels.company_id),
    ),
    family(
      "rate_limited_total",
      "counter",
      "Messages that a rate limit rejected.",
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
      "Stored suppressions.",
      SUPPRESSION_REASONS.map((reason) => ({
        labels: { ...companyLabels, reason },
        value: sumOf("suppressions", reason),
      })),
    ),
  ];
}

/** Returns samples with the share of complaints in bulk mail: one for the company, or one for each company with bulk mail. */
function complaintSamples(
  counts: readonly { a: string; b: string; n: number }[],
  companyId: number | undefined,
): Sample[] {
  const companies = companyId === undefined ? [...new Set(counts.map(({ a }) => Number(a)))] : [companyId];
  return companies.map((company_id) => {
    const countOf = (key: string) => counts.find(({ a, b }) => Number(a) === company_id && b === key)?.n ?? 0;
    return { labels: { company_id }, value: countOf("complained") / Math.max(1, countOf("total")) };
  });
}

/** Returns a quantile of a histogram in seconds, interpolated within its bucket. Returns 0 for an empty histogram. */
function quantileOf(buckets: readonly { b: string; n: number }[], quantile: number): number {
  const targetCount = buckets.reduce((sum, { n }) => sum + n, 0) * quantile;
  let [cumulativeCount, lower] = [0, 0];
  for (const upper of LATENCY_BUCKETS) {
    const count = buckets.find(({ b }) => b === String(upper))?.n ?? 0;
    if (count > 0 && cumulativeCount + count >= targetCount)
      return (lower + ((upper - lower) * (targetCount - cumulativeCount)) / count) / 1000;
    cumulativeCount += count;
    lower = upper;
  }
  return 0;
}

function providerEventFamilies({ metrics }: GlobalMetrics): Family[] {
  const metricRows = metrics.rows.filter(({ name }) => name === "provider_event");
  const typedRows = metricRows.filter(({ a }) => a !== "");
  const samples = typedRows.map(({ a, b, n }) => ({ labels: { type: a, result: b }, value: n }));
  const waits = [{ labels: {}, value: metricRows.find(({ a, b }) => a === "" && b === WAITING)?.n ?? 0 }];
  return [
    family("provider_events_total", "counter", "Events from providers, by type and result.", samples),
    family("provider_events_waiting", "gauge", "Provider events that wait for the acceptance of their message.", waits),
  ];
}

function breakerFamily({ breakers }: GlobalMetrics): Family {
  const openOf = (scope: string, lane: string) =>
    breakers.rows.find((row) => row.scope === scope && row.lane === lane)?.open ?? 0;
  const samples = SCOPES.flatMap((scope) =>
    LANES.map((lane) => ({ labels: { scope, lane }, value: openOf(scope, lane) })),
  );
  return family("sender_breaker_open", "gauge", "Senders that are skipped after consecutive failures.", samples);
}
