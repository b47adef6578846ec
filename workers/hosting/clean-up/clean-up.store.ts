import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm";
import { hosting_apps, hosting_cleanups, hosting_deployments } from "../../../db/hosting/schema";
import type { Db } from "../../kit/db/db";
import { boolean, integer, text } from "../../kit/db/kind";
import { allColumns, columnName, insertSelect, queryBuilder, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { SECOND_MS } from "../../kit/time";

/** The lease of a step. A step ends well before it. */
const LEASE_MS = 120 * SECOND_MS;
/** Maximum number of clean-ups that one purge run requests. */
const MAX_DUE = 500;

const { company_id, due_at, position, lease_token, lease_until } = hosting_cleanups;

/** The parts of a clean-up, in their order. */
export const PHASES = ["rows", "manifests", "artifacts", "blobs"] as const;

/**
 * Where a clean-up continues: in `phase`, after the key or hash `after`. `started` is its due time, by which its end notices a later
 * request. `isRepeated` is true when it left something that may be unused later.
 */
export type Position = { started: number; phase: (typeof PHASES)[number]; after: string; isRepeated: boolean };

const isFree = (now: SQL) => sql`(${lease_until} is null or ${lease_until} <= ${now})`;

const first = sql`json_object('started', ${due_at}, 'phase', 'rows', 'after', '', 'isRepeated', json('false'))`;

const claim = statement({ companyId: company_id, token: text, now: integer }, (p) =>
  queryBuilder
    .update(hosting_cleanups)
    .set({
      lease_token: p.token,
      lease_until: sql`${p.now} + ${LEASE_MS}`,
      position: sql`case when ${position} = '' then ${first} else ${position} end`,
    })
    .where(and(eq(company_id, p.companyId), lte(due_at, p.now), isFree(p.now)))
    .returning({ position }),
);

/** Leases the next step of a clean-up. Returns its position, or null when none is due or another consumer holds the lease. */
export async function claimStep(
  db: Db,
  input: { companyId: number; token: string; now: number },
): Promise<Position | null> {
  const row = await db.first(claim(input));
  return row && (JSON.parse(row.position) as Position);
}

/** Statement: stores where the next step continues, and gives the lease back. */
export const moveOn = statement({ companyId: company_id, token: text, position: text }, (p) =>
  queryBuilder
    .update(hosting_cleanups)
    .set({ position: p.position, lease_token: null, lease_until: null })
    .where(and(eq(company_id, p.companyId), eq(lease_token, p.token))),
);

/** Statement: gives the lease back after an error, so that the step can be repeated. */
export const releaseStep = statement({ companyId: company_id, token: text }, (p) =>
  queryBuilder
    .update(hosting_cleanups)
    .set({ lease_token: null, lease_until: null })
    .where(and(eq(company_id, p.companyId), eq(lease_token, p.token))),
);

const ended = { companyId: company_id, token: text, started: integer };

/** Statement: ends a clean-up for good, unless a change has requested another one meanwhile. */
export const endCleanup = statement(ended, (p) =>
  queryBuilder
    .delete(hosting_cleanups)
    .where(and(eq(company_id, p.companyId), eq(lease_token, p.token), eq(due_at, p.started))),
);

/** Statement: ends a clean-up that is repeated at `repeatAt` (unix ms), or at `soon` if a change has requested another one meanwhile. */
export const repeatCleanup = statement({ ...ended, repeatAt: integer, soon: integer }, (p) =>
  queryBuilder
    .update(hosting_cleanups)
    .set({
      position: "",
      due_at: sql`case when ${due_at} = ${p.started} then ${p.repeatAt} else ${p.soon} end`,
      lease_token: null,
      lease_until: null,
    })
    .where(and(eq(company_id, p.companyId), eq(lease_token, p.token))),
);

/** Statement: the companies whose next step is due and not running, those that wait longest first. */
export const findDueCleanups = statement({ now: integer }, (p) =>
  queryBuilder
    .select({ company_id })
    .from(hosting_cleanups)
    .where(and(lte(due_at, p.now), isFree(p.now)))
    .orderBy(asc(due_at))
    .limit(MAX_DUE),
);

/** Statement: requests a clean-up of the companies with previews that expired before `cutoff`. */
export const requestPreviewCleanups = statement({ cutoff: integer, now: integer }, (p) =>
  insertSelect(
    hosting_cleanups,
    {
      company_id: hosting_apps.company_id,
      due_at: p.now,
      position: "",
      lease_token: sql`null`,
      lease_until: sql`null`,
    },
    sql`from ${hosting_apps} where ${hosting_apps.expires_at} < ${p.cutoff}
      on conflict (${columnName(company_id)}) do update set ${columnName(due_at)} = min(${due_at}, ${p.now})`,
  ),
);

/** Statement: previews of a company that expired before `cutoff` (unix ms). */
export const listExpiredPreviews = statement({ companyId: integer, cutoff: integer, limit: integer }, (p) =>
  queryBuilder
    .select(allColumns(hosting_apps))
    .from(hosting_apps)
    .where(and(eq(hosting_apps.company_id, p.companyId), sql`${hosting_apps.expires_at} < ${p.cutoff}`))
    .limit(p.limit),
);

const isAbandonable = (companyId: SQL) =>
  and(eq(hosting_deployments.company_id, companyId), sql`${hosting_deployments.status} in ('draft', 'uploading')`);

/** Statement: deletes the deployments of a company that nobody finalized, uploaded or changed since `cutoff` (unix ms). */
export const deleteAbandoned = statement({ companyId: integer, cutoff: integer }, (p) =>
  queryBuilder
    .delete(hosting_deployments)
    .where(and(isAbandonable(p.companyId), sql`${hosting_deployments.updated_at} < ${p.cutoff}`)),
);

/** Statement: whether the company has deployments that may be abandoned later. */
export const hasUnfinished = statement({ companyId: integer }, (p) =>
  selectRows(
    {
      is_unfinished: sql`exists (select 1 from ${hosting_deployments} where ${isAbandonable(p.companyId)})`.mapWith(
        boolean,
      ),
    },
    (columns) => sql`select ${columns}`,
  ),
);
