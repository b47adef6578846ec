import { and, eq, isNotNull, lte, sql } from "drizzle-orm";
import { holdsFence } from "../../../db/kit/jobs";
import { company_quotas, quota_reservations, storage_blobs, storage_uploads } from "../../../db/storage/schema";
import { boolean, integer, json, nullable } from "../../kit/db/kind";
import { columnName, isInList, queryBuilder, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const JOB = "sweep_storage";

/**
 * Selects whether there is anything to sweep or to tell owners, in one read of four indexes. Blobs are sweepable if they have been unreferenced
 * since `cutoff`.
 */
export const findSweepable = statement({ now: integer, cutoff: integer }, (p) =>
  selectRows(
    {
      reservations:
        sql`exists (select 1 from ${quota_reservations} where ${lte(quota_reservations.expires_at, p.now)})`.mapWith(
          boolean,
        ),
      uploads: sql`exists (select 1 from ${storage_uploads} where ${lte(storage_uploads.expires_at, p.now)})`.mapWith(
        boolean,
      ),
      blobs:
        sql`exists (select 1 from ${storage_blobs} where refs <= 0 and ${lte(storage_blobs.unreferenced_at, p.cutoff)})`.mapWith(
          boolean,
        ),
      notices: sql`exists (select 1 from ${company_quotas} where ${isNotNull(company_quotas.notice_at)})`.mapWith(
        boolean,
      ),
    },
    (columns) => sql`select ${columns}`,
  ),
);

/** Counts the sweepable rows, for a dry run. */
export const countSweepable = statement({ now: integer, cutoff: integer }, (p) =>
  selectRows(
    {
      reservations:
        sql`(select count(*) from ${quota_reservations} where ${lte(quota_reservations.expires_at, p.now)})`.mapWith(
          integer,
        ),
      uploads: sql`(select count(*) from ${storage_uploads} where ${lte(storage_uploads.expires_at, p.now)})`.mapWith(
        integer,
      ),
      blobs:
        sql`(select count(*) from ${storage_blobs} where refs <= 0 and ${lte(storage_blobs.unreferenced_at, p.cutoff)})`.mapWith(
          integer,
        ),
    },
    (columns) => sql`select ${columns}`,
  ),
);

const fence = nullable(integer);

/**
 * Marks blobs that have been unreferenced since `cutoff`, so that no commit reuses them, and returns their keys. Marks none if the
 * run with this `fence` has lost its lock.
 */
export const markBlobs = statement({ cutoff: integer, limit: integer, fence }, (p) =>
  selectRows(
    { key: storage_blobs.key },
    () => sql`update ${storage_blobs} set refs = -1 where ${storage_blobs.key} in (
      select ${storage_blobs.key} from ${storage_blobs} where refs <= 0 and ${lte(storage_blobs.unreferenced_at, p.cutoff)} order by ${storage_blobs.unreferenced_at} limit ${p.limit})
      and refs <= 0 and ${holdsFence(JOB, p.fence)} returning ${columnName(storage_blobs.key)} as "key"`,
  ),
);

/** Deletes the rows of removed blobs. */
export const deleteBlobs = statement({ keys: json<readonly string[]>(), fence }, (p) =>
  queryBuilder
    .delete(storage_blobs)
    .where(and(isInList(storage_blobs.key, p.keys), eq(storage_blobs.refs, -1), holdsFence(JOB, p.fence))),
);
