import { and, asc, eq, gt, sql } from "drizzle-orm";
import { hosting_blobs, hosting_deployments } from "../../../db/hosting/schema";
import { boolean, integer, json } from "../../kit/db/kind";
import { isInList, queryBuilder } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const { company_id, sha256, touched_at, removed_at } = hosting_blobs;

/**
 * Statement: a page of the blobs of a company after a hash. `is_old`: no deployment named the blob since `cutoff`, or an earlier
 * clean-up marked it and did not end.
 */
export const listBlobs = statement({ companyId: company_id, after: sha256, cutoff: integer, limit: integer }, (p) =>
  queryBuilder
    .select({
      sha256,
      is_old: sql`(${touched_at} < ${p.cutoff} or ${removed_at} is not null)`.mapWith(boolean),
    })
    .from(hosting_blobs)
    .where(and(eq(company_id, p.companyId), gt(sha256, p.after)))
    .orderBy(asc(sha256))
    .limit(p.limit),
);

const { id, status, created_at, file_count } = hosting_deployments;

/**
 * Statement: a page of the deployments of a company whose manifests keep their blobs. Drafts keep them from `draftsSince` (unix ms)
 * on; failed deployments keep none.
 */
export const listKept = statement(
  { companyId: hosting_deployments.company_id, after: id, draftsSince: integer, limit: integer },
  (p) =>
    queryBuilder
      .select({ id, status })
      .from(hosting_deployments)
      .where(
        and(
          eq(hosting_deployments.company_id, p.companyId),
          gt(id, p.after),
          sql`${file_count} is not null`,
          sql`(${status} in ('ready', 'extracting', 'active', 'superseded') or ${status} = 'draft' and ${created_at} >= ${p.draftsSince})`,
        ),
      )
      .orderBy(asc(id))
      .limit(p.limit),
);

const hashes = json<readonly string[]>();
const listed = { companyId: company_id, hashes, now: integer };

/**
 * Statement: marks blobs as being removed, unless a deployment has named them again since `cutoff`. A blob with a mark counts as
 * missing. Returns the marked hashes.
 */
export const markBlobs = statement({ ...listed, cutoff: integer }, (p) =>
  queryBuilder
    .update(hosting_blobs)
    .set({ removed_at: p.now })
    .where(
      and(
        eq(company_id, p.companyId),
        isInList(sha256, p.hashes),
        sql`(${touched_at} < ${p.cutoff} or ${removed_at} is not null)`,
      ),
    )
    .returning({ sha256 }),
);

/** Statement: keeps the rows of removed blobs that a deployment has named since `cutoff`: their bytes must be uploaded again. */
export const forgetBlobs = statement({ ...listed, cutoff: integer }, (p) =>
  queryBuilder
    .update(hosting_blobs)
    .set({ removed_at: null, stored_at: null })
    .where(
      and(
        eq(company_id, p.companyId),
        isInList(sha256, p.hashes),
        eq(removed_at, p.now),
        sql`${touched_at} >= ${p.cutoff}`,
      ),
    ),
);

/** Statement: deletes the rows of removed blobs that were marked at `now`. */
export const deleteBlobs = statement(listed, (p) =>
  queryBuilder
    .delete(hosting_blobs)
    .where(and(eq(company_id, p.companyId), isInList(sha256, p.hashes), eq(removed_at, p.now))),
);
