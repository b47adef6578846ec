import { and, desc, eq, ne, type SQL, sql } from "drizzle-orm";
import { appIdOf } from "../../../db/hosting/apps";
import { hosting_apps, hosting_blobs, hosting_deployments } from "../../../db/hosting/schema";
import { integer, json } from "../../kit/db/kind";
import { allColumns, insertSelect, queryBuilder, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { eventRow, insertEventIf } from "../../kit/webhooks/event-store/event-row.store";

const columns = allColumns(hosting_deployments);
const { id, app_id, company_id, status, pinned, created_at } = hosting_deployments;
const appKey = { companyId: company_id, app: app_id };

/** Statement: a deployment of the app that a text names. */
export const findDeployment = statement({ ...appKey, id }, (p) =>
  queryBuilder
    .select(columns)
    .from(hosting_deployments)
    .where(and(eq(id, p.id), eq(app_id, appIdOf(p)))),
);

const isListed = (p: { companyId: SQL; app: SQL; statuses: SQL }) =>
  and(eq(app_id, appIdOf(p)), sql`${status} in (select value from json_each(${p.statuses}))`);

const listKey = { ...appKey, statuses: json<readonly string[]>() };

/** Statement: the deployments of an app in some states before a position, newest first. */
export const listDeployments = statement(
  { ...listKey, time: created_at, before: id, limit: integer, offset: integer },
  (p) =>
    queryBuilder
      .select(columns)
      .from(hosting_deployments)
      .where(and(isListed(p), sql`(${created_at}, ${id}) < (${p.time}, ${p.before})`))
      .orderBy(desc(created_at), desc(id))
      .limit(p.limit)
      .offset(p.offset),
);

/** Statement: the number of deployments of an app in some states. */
export const countDeployments = statement(listKey, (p) =>
  queryBuilder
    .select({ total: sql`count(*)`.mapWith(integer) })
    .from(hosting_deployments)
    .where(isListed(p)),
);

/** Whether a deployment makes no room for a new one. */
const isKept = sql`(${pinned} = 1 or ${status} = 'active')`;

/** Statement: the number of deployments of an app that make no room for a new one. */
export const countKept = statement({ appId: app_id }, (p) =>
  queryBuilder
    .select({ total: sql`count(*)`.mapWith(integer) })
    .from(hosting_deployments)
    .where(and(eq(app_id, p.appId), isKept)),
);

const file = { sha256: sql`f.value ->> 0`, size: sql`f.value ->> 1` };
const blob = hosting_blobs;

/** Returns the blobs of the listed files that the company has. */
const storedFiles = (companyId: SQL, files: SQL) =>
  sql`json_each(${files}) f cross join ${blob} on ${blob.company_id} = ${companyId} and ${blob.sha256} = ${file.sha256}
    where ${blob.stored_at} is not null and ${blob.removed_at} is null`;

/**
 * Statement: insert a deployment. Inserts nothing when the app is gone or has expired, when `max` of its deployments make no room,
 * or when a listed file is stored with another size.
 */
export const insertDeployment = statement(
  {
    id,
    appId: app_id,
    companyId: company_id,
    address: hosting_deployments.address,
    appVersion: hosting_deployments.app_version,
    shellVersion: hosting_deployments.shell_version,
    pinned,
    message: hosting_deployments.message,
    notFound: hosting_deployments.not_found,
    userId: hosting_deployments.deployed_by_id,
    fileCount: hosting_deployments.file_count,
    totalBytes: hosting_deployments.total_bytes,
    files: json<readonly (readonly [string, number])[] | null>(),
    now: created_at,
    max: integer,
  },
  (p) => {
    const [companyId, files] = [p.companyId as SQL, p.files as SQL];
    // Expressions of SELECT are evaluated before later statements of the batch declare the files.
    const bytesNew = sql`iif(${p.fileCount} is null, null, (select coalesce(sum(${file.size}), 0) from json_each(${files}) f)
      - (select coalesce(sum(${file.size}), 0) from ${storedFiles(companyId, files)}))`;
    return sql`${insertSelect(
      hosting_deployments,
      {
        id: p.id,
        app_id: p.appId,
        company_id: p.companyId,
        address: p.address,
        app_version: p.appVersion,
        shell_version: p.shellVersion,
        status: "draft",
        pinned: p.pinned,
        message: p.message,
        not_found: p.notFound,
        deployed_by_id: p.userId,
        file_count: p.fileCount,
        total_bytes: p.totalBytes,
        bytes_new: bytesNew,
        warnings: [],
        created_at: p.now,
        updated_at: p.now,
      },
      sql`from ${hosting_apps} where ${hosting_apps.id} = ${p.appId} and ${hosting_apps.company_id} = ${p.companyId}
        and (${hosting_apps.expires_at} is null or ${hosting_apps.expires_at} > ${p.now})
        and (select count(*) from ${hosting_deployments} where ${app_id} = ${p.appId} and ${isKept}) < ${p.max}
        and not exists (select 1 from ${storedFiles(companyId, files)} and ${blob.size} <> ${file.size})`,
    )} on conflict do nothing`;
  },
);

/** Statement: delete the oldest deployments that are neither live nor pinned, so that `max` remain with the new one. */
export const pruneDeployments = statement(
  { appId: app_id, newId: id, max: integer },
  (p) => sql`delete from ${hosting_deployments} where ${id} in (select ${id} from ${hosting_deployments}
    where ${app_id} = ${p.appId} and not ${isKept} and ${id} <> ${p.newId} order by ${created_at}, ${id}
    limit max(0, (select count(*) from ${hosting_deployments} where ${app_id} = ${p.appId}) - ${p.max}))
    and exists (select 1 from ${hosting_deployments} where ${id} = ${p.newId})`,
);

/** Statement: the event of a new deployment. The number of new bytes is taken from its row. */
export const addCreationEvent = statement({ ...eventRow, id, now: created_at }, ({ id: deploymentId, now, ...p }) => {
  const bytesNew = sql`(select ${hosting_deployments.bytes_new} from ${hosting_deployments} where ${id} = ${deploymentId})`;
  return insertEventIf(
    { ...p, data: sql`json_set(${p.data}, '$.bytes_new', ${bytesNew})` },
    now,
    sql`exists (select 1 from ${hosting_deployments} where ${id} = ${deploymentId})`,
  );
});

/** Statement: delete a deployment that is not live. */
export const deleteDeployment = statement({ id, companyId: company_id }, (p) =>
  queryBuilder
    .delete(hosting_deployments)
    .where(and(eq(id, p.id), eq(company_id, p.companyId), ne(status, sql`'active'`))),
);

/** Statement: a deployment by its id. */
export const findDeploymentById = statement({ id, companyId: company_id }, (p) =>
  selectRows(
    columns,
    (selected) =>
      sql`select ${selected} from ${hosting_deployments} where ${id} = ${p.id} and ${company_id} = ${p.companyId}`,
  ),
);
