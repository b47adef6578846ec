import { and, eq, lte, sql } from "drizzle-orm";
import { holdsFence } from "../../../db/kit/jobs";
import { quota_reservations, storage_blobs, storage_uploads } from "../../../db/storage/schema";
import { boolean, integer, json, nullable } from "../../kit/db/kind";
import { columnName, isInList, queryBuilder, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const JOB = "sweep_storage";
const b = storage_blobs;
const r = quota_reservations;
const u = storage_uploads;

/**
 * Selects whether there is anything to sweep, in one read of three indexes. Blobs are sweepable if they have been unreferenced
 * since `cut`.
 */
export const findSweepable = statement({ now: integer, cut: integer }, (p) =>
  selectRows(
    {
      reservations: sql`exists (select 1 from ${r} where ${lte(r.expires_at, p.now)})`.mapWith(boolean),
      uploads: sql`exists (select 1 from ${u} where ${lte(u.expires_at, p.now)})`.mapWith(boolean),
      blobs: sql`exists (select 1 from ${b} where refs <= 0 and ${lte(b.unreferenced_at, p.cut)})`.mapWith(boolean),
    },
    (columns) => sql`select ${columns}`,
  ),
);

/** Counts the sweepable rows, for a dry run. */
export const countSweepable = statement({ now: integer, cut: integer }, (p) =>
  selectRows(
    {
      reservations: sql`(select count(*) from ${r} where ${lte(r.expires_at, p.now)})`.mapWith(integer),
      uploads: sql`(select count(*) from ${u} where ${lte(u.expires_at, p.now)})`.mapWith(integer),
      blobs: sql`(select count(*) from ${b} where refs <= 0 and ${lte(b.unreferenced_at, p.cut)})`.mapWith(integer),
    },
    (columns) => sql`select ${columns}`,
  ),
);

const fence = nullable(integer);

/**
 * Marks blobs that have been unreferenced since `cut`, so that no commit reuses them, and returns their keys. Marks none if the
 * run with this `fence` has lost its lock.
 */
export const markBlobs = statement({ cut: integer, limit: integer, fence }, (p) =>
  selectRows(
    { key: b.key },
    () => sql`update ${b} set refs = -1 where ${b.key} in (
      select ${b.key} from ${b} where refs <= 0 and ${lte(b.unreferenced_at, p.cut)} order by ${b.unreferenced_at} limit ${p.limit})
      and refs <= 0 and ${holdsFence(JOB, p.fence)} returning ${columnName(b.key)} as "key"`,
  ),
);

/** Deletes the rows of removed blobs. */
export const deleteBlobs = statement({ keys: json<readonly string[]>(), fence }, (p) =>
  queryBuilder.delete(b).where(and(isInList(b.key, p.keys), eq(b.refs, -1), holdsFence(JOB, p.fence))),
);
