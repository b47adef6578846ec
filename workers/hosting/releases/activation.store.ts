import { and, eq, ne, sql } from "drizzle-orm";
import { isMadeLive, nextTimeOf } from "../../../db/hosting/apps";
import { type DeploymentRow, hosting_apps, hosting_blobs, hosting_deployments } from "../../../db/hosting/schema";
import { integer, json, nullable, text } from "../../kit/db/kind";
import { assignments, isInList, queryBuilder, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { MINUTE_MS } from "../../kit/time";
import { eventRow, insertEventIf } from "../../kit/webhooks/event-store/event-row.store";

const { id, app_id, company_id, status, lease_token } = hosting_deployments;
const key = { id, appId: app_id, now: integer };

/** The queue makes the variants of a live deployment. If its message is lost, the minute sweep requests them after this time. */
const VARIANTS_AFTER_MS = sql.raw(String(5 * MINUTE_MS));

/** Returns the listed hashes that the company does not have. */
const missingOf = (companyId: unknown, hashes: unknown) =>
  sql`json_each(${hashes}) h left join ${hosting_blobs} on ${hosting_blobs.company_id} = ${companyId}
    and ${hosting_blobs.sha256} = h.value where ${hosting_blobs.stored_at} is null or ${hosting_blobs.removed_at} is not null`;

/**
 * Statement: make a deployment live. Changes nothing unless it has one of the states and, with a lease, still holds it, and
 * unless the company has every listed file. It stores `change`, by which the other statements of the batch know that it
 * succeeded. Fields that are null keep their values.
 */
export const makeLive = statement(
  {
    ...key,
    companyId: company_id,
    change: lease_token,
    statuses: json<readonly DeploymentRow["status"][]>(),
    lease: nullable(text),
    hashes: json<readonly string[]>(),
    warnings: nullable(hosting_deployments.warnings),
    fileCount: hosting_deployments.file_count,
    totalBytes: hosting_deployments.total_bytes,
    bytesNew: hosting_deployments.bytes_new,
  },
  (p) => {
    const time = nextTimeOf(p.appId, p.now);
    return sql`update ${hosting_deployments} set ${assignments(hosting_deployments, {
      status: "active",
      lease_token: p.change,
      lease_until: sql`null`,
      next_step_at: sql`${p.now} + ${VARIANTS_AFTER_MS}`,
      error: sql`null`,
      warnings: sql`coalesce(${p.warnings}, ${hosting_deployments.warnings})`,
      file_count: sql`coalesce(${p.fileCount}, ${hosting_deployments.file_count})`,
      total_bytes: sql`coalesce(${p.totalBytes}, ${hosting_deployments.total_bytes})`,
      bytes_new: sql`coalesce(${p.bytesNew}, ${hosting_deployments.bytes_new})`,
      finalized_at: sql`coalesce(${hosting_deployments.finalized_at}, ${time})`,
      live_from: time,
      live_until: sql`null`,
      updated_at: time,
    })} where ${id} = ${p.id} and ${company_id} = ${p.companyId} and ${app_id} = ${p.appId}
      and ${isInList(status, p.statuses)} and (${p.lease} is null or ${lease_token} = ${p.lease})
      and exists (select 1 from ${hosting_apps} where ${hosting_apps.id} = ${p.appId})
      and not exists (select 1 from ${missingOf(p.companyId, p.hashes)})`;
  },
);

const ofChange = { ...key, change: text };

/** Statement: the event of a deployment that this batch made live, with the deployment that was live before. */
export const addLiveEvent = statement(
  { ...eventRow, ...ofChange },
  ({ id: deploymentId, appId, change, now, ...p }) => {
    const app = sql`from ${hosting_apps} where ${hosting_apps.id} = ${appId}`;
    const deployment = sql`from ${hosting_deployments} where ${id} = ${deploymentId}`;
    const data = sql`json_set(${p.data}, '$.previous_deployment_id', (select ${hosting_apps.current_deployment_id} ${app}),
    '$.bytes_new', (select ${hosting_deployments.bytes_new} ${deployment}),
    '$.file_count', (select ${hosting_deployments.file_count} ${deployment}))`;
    return insertEventIf({ ...p, data }, nextTimeOf(appId, now), isMadeLive({ id: deploymentId, change }));
  },
);

/** Statement: end the deployment that was live before. */
export const supersede = statement(ofChange, (p) => {
  const time = nextTimeOf(p.appId, p.now);
  return queryBuilder
    .update(hosting_deployments)
    .set({ status: "superseded", live_until: time, updated_at: time })
    .where(and(eq(app_id, p.appId), eq(status, sql`'active'`), ne(id, p.id), isMadeLive(p)));
});

/** Statement: point the app at the deployment that this batch made live. Run it after the statements above. */
export const switchApp = statement(ofChange, (p) => {
  const { current_deployment_id, updated_at } = hosting_apps;
  return sql`update ${hosting_apps} set ${assignments(hosting_apps, {
    current_deployment_id: p.id,
    updated_at: sql`max(${p.now}, ${updated_at} + 1)`,
  })} where ${hosting_apps.id} = ${p.appId} and ${current_deployment_id} is not ${p.id} and ${isMadeLive(p)}`;
});

/** Statement: the listed hashes that the company does not have, unless this batch made the deployment live. */
export const listMissing = statement(
  { id, change: text, companyId: company_id, hashes: json<readonly string[]>(), limit: integer },
  (p) =>
    selectRows(
      { sha256: sql`h.value`.mapWith(text) },
      (columns) => sql`select ${columns} from ${missingOf(p.companyId, p.hashes)} limit
        iif(${isMadeLive(p)}, 0, ${p.limit})`,
    ),
);
