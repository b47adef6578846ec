import { and, eq, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { hosting_blobs, hosting_deployments } from "../../../db/hosting/schema";
import { integer, json, text } from "../../kit/db/kind";
import { allColumns, assignments, columnName, insertSelect, queryBuilder, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const { company_id, sha256, size, touched_at, stored_at, removed_at } = hosting_blobs;

/** The distinct files of a manifest, as `[sha256, size]`. */
export type FileList = readonly (readonly [sha256: string, size: number])[];

/** The files of a manifest as one bound value. */
export const fileList = json<FileList>();

const listed = { sha256: sql<string>`f.value ->> 0`, size: sql<number>`f.value ->> 1` };

/** Returns the listed files with their blobs, which are null for a file that the company does not have. */
const withBlobs = (companyId: SQLWrapper, files: SQL) =>
  sql`json_each(${files}) f left join ${hosting_blobs} on ${company_id} = ${companyId} and ${sha256} = ${listed.sha256}`;

const isMissing = sql`(${stored_at} is null or ${removed_at} is not null)`;

/** Statement: the listed files that the company does not have, or has with another size. */
export const findMissing = statement({ companyId: company_id, files: fileList }, (p) =>
  selectRows(
    {
      sha256: listed.sha256.mapWith(text),
      size: listed.size.mapWith(integer),
      /** 1 for a stored blob, whose size differs */
      is_stored: sql`not ${isMissing}`.mapWith(integer),
    },
    (columns) => sql`select ${columns} from ${withBlobs(p.companyId, p.files as unknown as SQL)}
      where ${isMissing} or ${size} <> ${listed.size}`,
  ),
);

/**
 * Statement: declare the files of a deployment, so that they can be uploaded. Marks blobs as used that were marked before
 * `touchedBefore`, and blobs that the clean-up is about to remove: it keeps rows that were marked as used meanwhile. A size
 * that was declared but never uploaded is replaced.
 */
export const declareBlobs = statement(
  {
    companyId: company_id,
    deploymentId: hosting_deployments.id,
    files: fileList,
    now: touched_at,
    touchedBefore: touched_at,
  },
  (p) =>
    sql`${insertSelect(
      hosting_blobs,
      { company_id: p.companyId, sha256: listed.sha256, size: listed.size, touched_at: p.now },
      sql`from json_each(${p.files}) f where exists (select 1 from ${hosting_deployments}
        where ${hosting_deployments.id} = ${p.deploymentId})`,
    )} on conflict (${columnName(company_id)}, ${columnName(sha256)}) do update set ${assignments(hosting_blobs, {
      touched_at: p.now,
      size: sql`iif(${stored_at} is null, excluded.size, ${size})`,
    })} where ${touched_at} < ${p.touchedBefore} or ${removed_at} is not null
      or (${stored_at} is null and ${size} <> excluded.size)`,
);

const key = { companyId: company_id, sha256 };
const isBlob = (p: { companyId: SQL<number>; sha256: SQL<string> }) =>
  and(eq(company_id, p.companyId), eq(sha256, p.sha256));

/** Statement: a declared blob of the company. */
export const findBlob = statement(key, (p) =>
  queryBuilder.select(allColumns(hosting_blobs)).from(hosting_blobs).where(isBlob(p)),
);

/** Statement: take a blob back from a clean-up that marked it before `markedBefore`. */
export const reclaimBlob = statement(
  { ...key, now: touched_at, markedBefore: integer },
  (p) =>
    sql`update ${hosting_blobs} set ${assignments(hosting_blobs, {
      removed_at: sql`null`,
      stored_at: sql`null`,
      touched_at: p.now,
    })} where ${isBlob(p)} and ${removed_at} <= ${p.markedBefore}`,
);

/** Statement: mark an unused blob as used before its upload, so that a clean-up does not remove it meanwhile. */
export const touchBlob = statement({ ...key, now: touched_at }, (p) =>
  queryBuilder
    .update(hosting_blobs)
    .set({ touched_at: p.now })
    .where(and(isBlob(p), isNull(removed_at))),
);

/** Statement: the bytes of a blob are stored. Changes nothing when a clean-up has marked the blob meanwhile. */
export const storeBlob = statement({ ...key, now: stored_at }, (p) =>
  queryBuilder
    .update(hosting_blobs)
    .set({ stored_at: p.now })
    .where(and(isBlob(p), isNull(removed_at))),
);
