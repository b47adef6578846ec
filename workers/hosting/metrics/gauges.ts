import type { Result } from "../../kit/db/db";
import type { Family } from "../../kit/metrics/exposition";
import type { ServiceMetrics } from "../../kit/metrics/scrape";
import { DAY_MS } from "../../kit/time";
import { countApps, countDeployments, countDomains, listAccess } from "./gauges.store";

type Reads = {
  apps: ReturnType<typeof countApps>;
  deployments: ReturnType<typeof countDeployments>;
  access: ReturnType<typeof listAccess>;
  domains: ReturnType<typeof countDomains>;
};

/** The gauges of a company, by the statement that reads them: name and help text. */
const gauges = {
  apps: {
    apps_total: "Apps, including previews.",
    apps_expired: "Previews that have expired and were not removed yet.",
  },
  deployments: {
    deployments_total: "Deployments, in every state.",
    active_deployments: "Live deployments.",
    artifact_bytes: "Bytes of the uploaded archives.",
    deployments_24h: "Deployments created in the last 24 hours.",
    deployments_7d: "Deployments created in the last 7 days.",
    deployments_30d: "Deployments created in the last 30 days.",
  },
  access: {
    access_pending: "1 while the company waits for the decision whether it may host apps.",
    access_approved: "1 if the company may host apps.",
    access_denied: "1 if staff denied the company to host apps.",
  },
  domains: {
    domains_verified: "Custom domains that are served.",
    domains_failed: "Custom domains that were not proven in time.",
  },
} as const satisfies Record<keyof Reads, Record<string, string>>;

const familiesOf = (names: Record<string, string>, { rows }: Result<{ company_id: number }>): Family[] =>
  Object.entries(names).map(([name, help]) => ({
    name: `platform_hosting_${name}`,
    type: "gauge",
    help,
    samples: rows.map((row) => ({
      labels: { company_id: row.company_id },
      value: Number((row as unknown as Record<string, number>)[name]),
    })),
  }));

/** The metrics of apps, deployments, access and domains. Every gauge has the label `company_id`. */
export const hostingMetrics: ServiceMetrics<Reads> = {
  reads: (companyId, now) => {
    const range = { from: companyId ?? 1, to: companyId ?? Number.MAX_SAFE_INTEGER };
    const [day, week, month] = [now - DAY_MS, now - 7 * DAY_MS, now - 30 * DAY_MS];
    return {
      apps: countApps({ ...range, now }),
      deployments: countDeployments({ ...range, day, week, month }),
      access: listAccess(range),
      domains: countDomains(range),
    };
  },
  families: (results) => [
    ...familiesOf(gauges.apps, results.apps),
    ...familiesOf(gauges.deployments, results.deployments),
    ...familiesOf(gauges.access, results.access),
    ...familiesOf(gauges.domains, results.domains),
  ],
};
