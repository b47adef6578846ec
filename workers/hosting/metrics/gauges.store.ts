import { between, sql } from "drizzle-orm";
import { hosting_access, hosting_apps, hosting_deployments, hosting_domains } from "../../../db/hosting/schema";
import { integer } from "../../kit/db/kind";
import { indexedBy, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const range = { from: integer, to: integer };
const total = sql`count(*)`.mapWith(integer);

/** Statement: the number of apps of the companies in a range of ids, and of those whose preview has expired at `now` (unix ms). */
export const countApps = statement({ ...range, now: integer }, (p) =>
  selectRows(
    {
      company_id: hosting_apps.company_id,
      apps_total: total,
      apps_expired: sql`coalesce(sum(${hosting_apps.expires_at} <= ${p.now}), 0)`.mapWith(integer),
    },
    (columns) => sql`select ${columns} from ${indexedBy(hosting_apps, "hosting_apps_company")}
      where ${between(hosting_apps.company_id, p.from, p.to)} group by ${hosting_apps.company_id}`,
  ),
);

const { artifact_size, company_id, created_at, status } = hosting_deployments;

/** Statement: the deployments of the companies in a range of ids. `day`, `week` and `month` are the starts of times (unix ms). */
export const countDeployments = statement({ ...range, day: integer, week: integer, month: integer }, (p) => {
  const since = (time: typeof p.day) => sql`sum(${created_at} >= ${time})`.mapWith(integer);
  return selectRows(
    {
      company_id,
      deployments_total: total,
      active_deployments: sql`sum(${status} = 'active')`.mapWith(integer),
      artifact_bytes: sql`coalesce(sum(${artifact_size}), 0)`.mapWith(integer),
      deployments_24h: since(p.day),
      deployments_7d: since(p.week),
      deployments_30d: since(p.month),
    },
    (columns) => sql`select ${columns} from ${indexedBy(hosting_deployments, "hosting_deployments_company")}
      where ${between(company_id, p.from, p.to)} group by ${company_id}`,
  );
});

/** Statement: the decisions about the companies in a range of ids. */
export const listAccess = statement(range, (p) => {
  const is = (value: string) => sql`${hosting_access.status} = ${sql.raw(`'${value}'`)}`.mapWith(integer);
  return selectRows(
    {
      company_id: hosting_access.company_id,
      access_pending: is("pending"),
      access_approved: is("approved"),
      access_denied: is("denied"),
    },
    (columns) => sql`select ${columns} from ${hosting_access}
      where ${between(hosting_access.company_id, p.from, p.to)} order by ${hosting_access.company_id}`,
  );
});

/** Statement: the domains of the companies in a range of ids. */
export const countDomains = statement(range, (p) =>
  selectRows(
    {
      company_id: hosting_domains.company_id,
      domains_verified: sql`sum(${hosting_domains.state} = 'verified')`.mapWith(integer),
      domains_failed: sql`sum(${hosting_domains.state} = 'failed')`.mapWith(integer),
    },
    (columns) => sql`select ${columns} from ${indexedBy(hosting_domains, "hosting_domains_company")}
      where ${between(hosting_domains.company_id, p.from, p.to)} group by ${hosting_domains.company_id}`,
  ),
);
