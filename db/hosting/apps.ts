import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { hosting_apps, hosting_deployments } from "./schema";

/** The text that names an app in a path, and its company. */
type AppKey = { companyId: SQLWrapper; app: SQLWrapper };

/** Returns the condition that a text names an app of the company, and the order that prefers ids over names over slugs. */
export const isNamedApp = ({ companyId, app }: AppKey): SQL =>
  sql`(${hosting_apps.id} = ${app} or (${hosting_apps.company_id} = ${companyId} and ${hosting_apps.name} = ${app}) or ${hosting_apps.slug} = ${app})
    and +${hosting_apps.company_id} = ${companyId}
    order by ${hosting_apps.id} = ${app} desc, ${hosting_apps.name} = ${app} desc limit 1`;

/** Returns the id of the app of the company that a text names: its id, name or slug. */
export const appIdOf = (key: AppKey): SQL =>
  sql`(select ${hosting_apps.id} from ${hosting_apps} where ${isNamedApp(key)})`;

/**
 * Returns the time of a change of an app: now, or a millisecond after its latest change. Times of the events of an app thus
 * ascend in the order of the commits.
 */
export const nextTimeOf = (appId: SQLWrapper, now: SQLWrapper): SQL =>
  sql`(select max(${now}, ${hosting_apps.updated_at} + 1) from ${hosting_apps} where ${hosting_apps.id} = ${appId})`;

/**
 * Returns the condition that this batch made the deployment live. `change` is the id that its first statement stored. Every
 * other statement of the batch has this condition.
 */
export const isMadeLive = (p: { id: SQLWrapper; change: SQLWrapper }): SQL =>
  sql`exists (select 1 from ${hosting_deployments} where ${hosting_deployments.id} = ${p.id}
    and ${hosting_deployments.status} = 'active' and ${hosting_deployments.lease_token} = ${p.change})`;
