import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { isNamedApp } from "../../../db/hosting/apps";
import { hosting_apps, hosting_deployments } from "../../../db/hosting/schema";
import { integer } from "../../kit/db/kind";
import { allColumns, insertSelect, queryBuilder, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { eventRow, insertEventIf } from "../../kit/webhooks/event-store/event-row.store";

const columns = allColumns(hosting_apps);
const { id, company_id, name, slug, expires_at, created_at, updated_at } = hosting_apps;

/** Statement: the app of the company that a text names: its id, name or slug. */
export const findApp = statement({ companyId: company_id, app: id }, (p) =>
  selectRows(columns, (selected) => sql`select ${selected} from ${hosting_apps} where ${isNamedApp(p)}`),
);

/** Statement: an app of the company by its name. */
export const findAppByName = statement({ companyId: company_id, name }, (p) =>
  queryBuilder
    .select(columns)
    .from(hosting_apps)
    .where(and(eq(company_id, p.companyId), eq(name, p.name))),
);

/** Statement: an app of the company by its slug. */
export const findAppBySlug = statement({ companyId: company_id, slug }, (p) =>
  queryBuilder
    .select(columns)
    .from(hosting_apps)
    .where(and(eq(slug, p.slug), sql`+${company_id} = ${p.companyId}`)),
);

/** Statement: the apps of a company before a position, newest first. */
export const listApps = statement(
  { companyId: company_id, time: created_at, before: id, limit: integer, offset: integer },
  (p) =>
    queryBuilder
      .select(columns)
      .from(hosting_apps)
      .where(and(eq(company_id, p.companyId), sql`(${created_at}, ${id}) < (${p.time}, ${p.before})`))
      .orderBy(desc(created_at), desc(id))
      .limit(p.limit)
      .offset(p.offset),
);

/** Statement: the number of apps of a company. */
export const countApps = statement({ companyId: company_id }, (p) =>
  queryBuilder
    .select({ total: sql`count(*)`.mapWith(integer) })
    .from(hosting_apps)
    .where(eq(company_id, p.companyId)),
);

/** Statement: insert an app unless the company has `max` apps that have not expired, or one with this name. */
export const insertApp = statement(
  {
    id,
    companyId: company_id,
    name,
    slug,
    displayName: hosting_apps.display_name,
    ownerId: hosting_apps.owner_id,
    expiresAt: expires_at,
    now: created_at,
    max: integer,
  },
  (p) =>
    sql`${insertSelect(
      hosting_apps,
      {
        id: p.id,
        company_id: p.companyId,
        name: p.name,
        slug: p.slug,
        display_name: p.displayName,
        owner_id: p.ownerId,
        expires_at: p.expiresAt,
        created_at: p.now,
        updated_at: p.now,
      },
      sql`where (select count(*) from ${hosting_apps} where ${company_id} = ${p.companyId}
        and (${expires_at} is null or ${expires_at} > ${p.now})) < ${p.max}`,
    )} on conflict do nothing`,
);

/** Statement: the event of a new app, or of one that the next statement deletes. */
export const addAppEvent = statement({ ...eventRow, appId: id, now: created_at }, ({ appId, now, ...p }) =>
  insertEventIf(p, now, sql`exists (select 1 from ${hosting_apps} where ${id} = ${appId})`),
);

const key = { companyId: company_id, id };
const isApp = (p: { companyId: SQL<number>; id: SQL<string> }) => and(eq(id, p.id), eq(company_id, p.companyId));
const nextTime = (now: SQL<number>) => sql`max(${now}, ${updated_at} + 1)`;

/** Statement: change an app, and return its row. */
export const updateApp = statement(
  {
    ...key,
    displayName: hosting_apps.display_name,
    publicDeployments: hosting_apps.public_deployments,
    now: updated_at,
  },
  (p) =>
    queryBuilder
      .update(hosting_apps)
      .set({
        display_name: p.displayName,
        public_deployments: p.publicDeployments,
        updated_at: nextTime(p.now),
      })
      .where(isApp(p))
      .returning(columns),
);

/** Statement: renew a preview that has not expired, and return its row. */
export const renewApp = statement({ ...key, expiresAt: integer, now: updated_at }, (p) =>
  queryBuilder
    .update(hosting_apps)
    .set({ expires_at: sql`${p.expiresAt}`, updated_at: nextTime(p.now) })
    .where(and(isApp(p), sql`${expires_at} > ${p.now}`))
    .returning(columns),
);

/** Statement: delete the deployments of an app. The clean-up removes their files. */
export const deleteDeployments = statement(
  { appId: hosting_deployments.app_id, companyId: hosting_deployments.company_id },
  (p) =>
    queryBuilder
      .delete(hosting_deployments)
      .where(and(eq(hosting_deployments.app_id, p.appId), eq(hosting_deployments.company_id, p.companyId))),
);

/** Statement: delete an app. */
export const deleteApp = statement(key, (p) => queryBuilder.delete(hosting_apps).where(isApp(p)));
