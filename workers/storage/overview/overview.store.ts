import { sql } from "drizzle-orm";
import { company_quotas, event_log, isNearlyFull, user_quotas } from "../../../db/storage/schema";
import { integer } from "../../kit/db/kind";
import { indexedBy } from "../../kit/db/query";
import { createOverview, type OverviewEntry } from "../../kit/overview/entry.store";
import { jobsParameter, kitEntries } from "../../kit/overview/kit-entries.store";
import { pathOf } from "../../kit/overview/path";

const QUOTAS = "/storage/v1/quota";

const fullCompanies: OverviewEntry = {
  code: "company_quotas_nearly_full",
  severity: "warning",
  rows: ({ company }) => sql`select ${company_quotas.company_id} as company_id, 1 as matches
    from ${indexedBy(company_quotas, "company_quotas_nearly_full")}
    where ${isNearlyFull(company_quotas.max_bytes, company_quotas.used_bytes)} and ${company === null ? sql`${company_quotas.company_id} > 0` : sql`${company_quotas.company_id} = ${company}`}`,
  list: ({ companyId }) =>
    companyId === null ? pathOf(`${QUOTAS}/companies`, { is_nearly_full: true }) : `${QUOTAS}/company/${companyId}`,
};

/** The limit of a user: the one set for the user, or else the default of the company. */
const limitOfUser = sql`coalesce(${user_quotas.max_bytes}, ${company_quotas.max_bytes_per_user})`;

// The default of the company applies to users without a limit of their own, so no index can contain the users who are near their
// limit. The users of all companies are therefore not counted.
const fullUsers: OverviewEntry = {
  code: "user_quotas_nearly_full",
  severity: "warning",
  rows: ({ company }) =>
    company === null
      ? null
      : sql`select ${user_quotas.company_id} as company_id, coalesce(${isNearlyFull(limitOfUser, user_quotas.used_bytes)}, 0) as matches
        from ${company_quotas} cross join ${user_quotas} on ${user_quotas.company_id} = ${company_quotas.company_id} where ${company_quotas.company_id} = ${company}`,
  list: ({ companyId }) => pathOf(`${QUOTAS}/company/${companyId}/users`, { is_nearly_full: true }),
};

/** The statements that read the overview of storage. */
export const overview = createOverview(
  [
    ...kitEntries(event_log, (_company, { serviceParameters }) => sql`${serviceParameters.retentionDays}`),
    fullCompanies,
    fullUsers,
  ],
  { retentionDays: integer },
  jobsParameter,
);
