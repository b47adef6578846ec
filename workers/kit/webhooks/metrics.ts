import type { Bound } from "../db/statement";
import { type MetricRow, selectMetricsOfAll, selectMetricsOfCompany } from "./metrics.store";

export type { MetricRow } from "./metrics.store";

/**
 * Returns the statement that reads the webhook and callback metrics of a company, or of all companies when null. `now`
 * is unix ms.
 */
export function selectWebhookMetrics(companyId: number | null, now: number): Bound<MetricRow> {
  return companyId === null ? selectMetricsOfAll({ now }) : selectMetricsOfCompany({ now, company: companyId });
}
