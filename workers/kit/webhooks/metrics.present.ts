import type { Family, Sample } from "../metrics/exposition";
import type { MetricRow } from "./metrics.store";

const STATUSES = ["pending", "failed"];
const RESULTS = ["success", "failure"];
const TRIGGERS = ["dispatch", "automatic_retry"];

/**
 * Returns the webhook metrics, named `platform_{prefix}_webhook_…`. With `companyId`, every sample has the company as a
 * label. Every sample exists from the first scrape. `now` is unix ms.
 */
export function webhookFamilies(
  prefix: string,
  rows: readonly MetricRow[],
  { now, companyId }: { now: number; companyId?: number },
): Family[] {
  const companyLabel = companyId === undefined ? {} : { company_id: companyId };
  const valuesByName = new Map(rows.map(({ name, value }) => [name, value]));
  const metricValue = (name: string) => valuesByName.get(name) ?? 0;
  const family = (name: string, type: Family["type"], help: string, samples: Sample[]): Family => ({
    name: `platform_${prefix}_webhook_${name}`,
    type,
    help,
    samples: samples.map(({ labels, value }) => ({ labels: { ...companyLabel, ...labels }, value })),
  });
  const oldest = Math.max(0, now - (valuesByName.get("oldest_due_at") ?? now));
  const waiting = STATUSES.map((status) => ({ labels: { status }, value: metricValue(`deliveries.${status}`) }));
  const attempts = RESULTS.flatMap((result) =>
    TRIGGERS.map((trigger) => ({
      labels: { result, trigger },
      value: metricValue(`webhook_attempts.${result}.${trigger}`),
    })),
  );
  return [
    family("deliveries", "gauge", "Deliveries that wait for an attempt.", waiting),
    family("oldest_due_seconds", "gauge", "For how long the oldest due delivery has been due.", [
      { value: Math.floor(oldest / 1000) },
    ]),
    family("attempts_total", "counter", "Delivery attempts.", attempts),
    family(
      "rules_failing",
      "gauge",
      "Rules whose target is gone or has not worked for a day, or whose secret is unreadable.",
      [{ value: metricValue("rules_failing") }],
    ),
    family("hosts_limited", "gauge", "Hosts limited to one retry at a time because they do not respond.", [
      { value: metricValue("hosts_limited") },
    ]),
  ];
}
