import { sql } from "drizzle-orm";
import {
  event_log,
  hosting_access,
  hosting_apps,
  hosting_deployments,
  hosting_domains,
} from "../../../db/hosting/schema";
import { integer } from "../../kit/db/kind";
import { indexedBy } from "../../kit/db/query";
import { createOverview, type OverviewEntry } from "../../kit/overview/entry.store";
import { jobsParameter, kitEntries } from "../../kit/overview/kit-entries.store";
import { pathOf } from "../../kit/overview/path";
import { DAY_MS } from "../../kit/time";

/** The companies that wait for the decision of staff whether they may host apps. */
const pendingAccess: OverviewEntry = {
  code: "access_requests_pending",
  severity: "warning",
  rows: ({ company }) => sql`select ${hosting_access.company_id} as company_id, 1 as matches
    from ${indexedBy(hosting_access, "hosting_access_status")} where ${hosting_access.status} = 'pending'
    ${company === null ? sql`` : sql`and ${hosting_access.company_id} = ${company}`}`,
  list: ({ companyId }) => (companyId === null ? null : pathOf("/hosting/v1/access", { company_id: companyId })),
};

/** The deployments that failed in the last 24 hours and were not repeated. */
const failedDeployments: OverviewEntry = {
  code: "deployments_failed",
  severity: "error",
  sinceMs: DAY_MS,
  rows: ({ company, now }) => sql`select ${hosting_deployments.company_id} as company_id,
      ${hosting_deployments.updated_at} > ${now} - ${DAY_MS} as matches
    from ${indexedBy(hosting_deployments, "hosting_deployments_failed")}
    where ${hosting_deployments.status} = 'failed' and ${
      company === null
        ? sql`${hosting_deployments.company_id} > 0`
        : sql`${hosting_deployments.company_id} = ${company} and ${hosting_deployments.updated_at} > ${now} - ${DAY_MS}`
    }`,
  list: ({ companyId, since }) =>
    companyId === null
      ? null
      : pathOf("/api/v1/actions/event-log", {
          company_id: companyId,
          event_type: "hosting.deployment.failed",
          created_after: since,
        }),
};

/** The previews that expire in the next 24 hours. */
const expiringPreviews: OverviewEntry = {
  code: "previews_expiring",
  severity: "warning",
  rows: ({ company, now }) => {
    const { company_id, expires_at } = hosting_apps;
    const isSoon = sql`${expires_at} > ${now} and ${expires_at} <= ${now} + ${DAY_MS}`;
    return company === null
      ? sql`select ${company_id} as company_id, 1 as matches from ${indexedBy(hosting_apps, "hosting_apps_expiry")}
          where ${expires_at} is not null and ${isSoon}`
      : sql`select ${company_id} as company_id, coalesce(${isSoon}, 0) as matches
          from ${indexedBy(hosting_apps, "hosting_apps_company")} where ${company_id} = ${company}`;
  },
  list: ({ companyId }) => (companyId === null ? null : "/hosting/v1/apps"),
};

/** The domains that were not proven in time, and those that will fail because their TXT record is missing. */
const failedDomains: OverviewEntry = {
  code: "domains_failed",
  severity: "error",
  rows: ({ company }) => {
    const { company_id, state, unproven_since } = hosting_domains;
    return sql`select ${company_id} as company_id,
        (${state} = 'failed' or (${state} = 'verified' and ${unproven_since} is not null)) as matches
      from ${indexedBy(hosting_domains, "hosting_domains_company")}
      where ${company === null ? sql`${company_id} > 0` : sql`${company_id} = ${company}`}`;
  },
  list: () => null,
};

/** The statements that read the overview of hosting. */
export const overview = createOverview(
  [
    ...kitEntries(event_log, (_company, { serviceParameters }) => sql`${serviceParameters.retentionDays}`),
    pendingAccess,
    failedDeployments,
    expiringPreviews,
    failedDomains,
  ],
  { retentionDays: integer },
  jobsParameter,
);
