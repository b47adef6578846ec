import { and, asc, eq, gt, type SQL, sql } from "drizzle-orm";
import { appIdOf } from "../../../db/hosting/apps";
import { hosting_apps, hosting_domains } from "../../../db/hosting/schema";
import { integer } from "../../kit/db/kind";
import { allColumns, insertSelect, queryBuilder, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const columns = allColumns(hosting_domains);
const { app_id, company_id, created_at, hostname, id, token } = hosting_domains;

const appKey = { companyId: company_id, app: app_id };

/** Statement: a domain of the app that a text names. */
export const findDomain = statement({ ...appKey, id }, (p) =>
  queryBuilder
    .select(columns)
    .from(hosting_domains)
    .where(and(eq(id, p.id), sql`+${app_id} = ${appIdOf(p)}`)),
);

/** Statement: the domains of the app that a text names, after a host name. */
export const listDomains = statement({ ...appKey, after: hostname, limit: integer, offset: integer }, (p) =>
  queryBuilder
    .select(columns)
    .from(hosting_domains)
    .where(and(eq(app_id, appIdOf(p)), gt(hostname, p.after)))
    .orderBy(asc(hostname))
    .limit(p.limit)
    .offset(p.offset),
);

const countOf = (appId: SQL) => sql`(select count(*) from ${hosting_domains} where ${app_id} = ${appId})`;

/** Statement: the number of domains of the app that a text names. */
export const countDomains = statement(appKey, (p) =>
  selectRows({ total: sql`${countOf(appIdOf(p))}`.mapWith(integer) }, (selected) => sql`select ${selected}`),
);

/** Statement: a domain of an app by its host name. */
export const findDomainByName = statement({ appId: app_id, hostname }, (p) =>
  queryBuilder
    .select(columns)
    .from(hosting_domains)
    .where(and(eq(app_id, p.appId), eq(hostname, p.hostname))),
);

/** Statement: insert a domain, unless the app is gone, has the domain, or has `max` domains. */
export const insertDomain = statement(
  { appId: app_id, companyId: company_id, hostname, id, token, now: created_at, nextCheckAt: integer, max: integer },
  (p) =>
    sql`${insertSelect(
      hosting_domains,
      {
        app_id: p.appId,
        hostname: p.hostname,
        id: p.id,
        company_id: p.companyId,
        token: p.token,
        state: "pending",
        next_check_at: p.nextCheckAt,
        unproven_since: p.now,
        created_at: p.now,
        updated_at: p.now,
      },
      sql`from ${hosting_apps} where ${hosting_apps.id} = ${p.appId} and ${hosting_apps.company_id} = ${p.companyId}
      and ${countOf(p.appId)} < ${p.max}`,
    )} on conflict do nothing`,
);

/** Statement: delete a domain. */
export const deleteDomain = statement({ id, companyId: company_id }, (p) =>
  queryBuilder.delete(hosting_domains).where(and(eq(id, p.id), eq(company_id, p.companyId))),
);
