import type { Family } from "../../kit/metrics/exposition";
import type { ServiceMetrics } from "../../kit/metrics/scrape";
import { HOUR_MS } from "../../kit/time";
import { listCompanyGauges } from "./gauges.store";

type Reads = { storage: ReturnType<typeof listCompanyGauges> };
type GaugeRow = Omit<Awaited<ReturnType<Reads["storage"]["read"]>>, "company_id">;

const DAY_HOURS = 24;

/** The gauges of a company: name, help text and column. */
const gauges: readonly [name: string, help: string, column: keyof GaugeRow][] = [
  ["objects_total", "Objects, including folder markers.", "objects"],
  ["bytes_total", "Bytes of all objects.", "used_bytes"],
  ["buckets_total", "Buckets.", "buckets"],
  ["uploads_24h", "Uploads of the last 24 whole hours.", "uploads_24h"],
  ["uploads_7d", "Uploads of the last 7 days, by whole hours.", "uploads_7d"],
  ["uploads_30d", "Uploads of the last 30 days, by whole hours.", "uploads_30d"],
  ["bytes_7d", "Bytes uploaded in the last 7 days, by whole hours.", "bytes_7d"],
  ["quota_used_bytes", "Bytes that count towards the quota.", "used_bytes"],
  ["quota_max_bytes", "The quota; a company without limit has no sample.", "max_bytes"],
  ["quota_reserved_bytes", "Bytes that uploads in flight have reserved.", "reserved_bytes"],
];

/** Name of the counter of event envelopes that lack the names of their company. */
export const PROFILE_MISSING = "company_profile_missing";

/** The metrics of objects and quotas. Every gauge has the label `company_id`. The kit adds the metrics of jobs and webhooks. */
export const storageMetrics: ServiceMetrics<Reads> = {
  reads: (companyId, now) => {
    const hour = Math.floor(now / HOUR_MS);
    return {
      storage: listCompanyGauges({
        from: companyId ?? 1,
        to: companyId ?? Number.MAX_SAFE_INTEGER,
        day: hour - DAY_HOURS,
        week: hour - 7 * DAY_HOURS,
        month: hour - 30 * DAY_HOURS,
      }),
    };
  },
  families: ({ storage }, { companyId, totals }) => [
    ...gauges.map(
      ([name, help, column]): Family => ({
        name: `platform_storage_${name}`,
        type: "gauge",
        help,
        samples: storage.rows.flatMap((row) => {
          const value = row[column];
          return value === null ? [] : [{ labels: { company_id: row.company_id }, value }];
        }),
      }),
    ),
    {
      name: `platform_storage_${PROFILE_MISSING}_total`,
      type: "counter",
      help: "Event envelopes without the company's name, which neither storage nor identity returned.",
      samples: [
        {
          ...(companyId === null ? {} : { labels: { company_id: companyId } }),
          value: totals.find(({ name }) => name === PROFILE_MISSING)?.value ?? 0,
        },
      ],
    },
  ],
};
