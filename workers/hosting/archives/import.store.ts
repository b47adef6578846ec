import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm";
import { hosting_blobs, hosting_deployments } from "../../../db/hosting/schema";
import { boolean, integer, json, text } from "../../kit/db/kind";
import { allColumns, isInList, queryBuilder, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { SECOND_MS } from "../../kit/time";
import { eventRow, insertEventIf } from "../../kit/webhooks/event-store/event-row.store";

/** The lease of a step, which is renewed while it runs. */
export const IMPORT_LEASE_MS = 120 * SECOND_MS;
/** A delayed queue message may arrive this early. */
const EARLY_MS = SECOND_MS;
/** Maximum number of imports that one sweep continues. */
const MAX_DUE = 500;

const { id, company_id, status, lease_token, lease_until, next_step_at, files_done } = hosting_deployments;
const columns = allColumns(hosting_deployments);

const isFree = (now: SQL) => sql`(${lease_until} is null or ${lease_until} <= ${now})`;
const isExtracting = eq(status, sql`'extracting'`);

/** Statement: starts the import of an uploaded archive. Its first step is due at once. */
export const startImport = statement({ id, companyId: company_id, now: integer }, (p) =>
  queryBuilder
    .update(hosting_deployments)
    .set({
      status: "extracting",
      next_step_at: sql`${p.now}`,
      file_count: null,
      files_done: 0,
      error: null,
      updated_at: p.now,
    })
    .where(and(eq(id, p.id), eq(company_id, p.companyId), eq(status, sql`'ready'`))),
);

const held = { id, companyId: company_id, token: text };

/** Statement: leases the next step of an import and returns the deployment. The sweep continues the import if this step dies. */
export const claimImport = statement({ ...held, now: integer }, (p) =>
  queryBuilder
    .update(hosting_deployments)
    .set({
      lease_token: p.token,
      lease_until: sql`${p.now} + ${IMPORT_LEASE_MS}`,
      next_step_at: sql`${p.now} + ${IMPORT_LEASE_MS}`,
    })
    .where(
      and(
        eq(id, p.id),
        eq(company_id, p.companyId),
        isExtracting,
        sql`${next_step_at} <= ${p.now} + ${EARLY_MS}`,
        isFree(p.now),
      ),
    )
    .returning(columns),
);

const isHeld = (p: { id: SQL<string>; companyId: SQL<number>; token: SQL<string> }) =>
  and(eq(id, p.id), eq(company_id, p.companyId), eq(lease_token, p.token), isExtracting);

/** Statement: renews the lease of a step. */
export const renewImport = statement({ ...held, now: integer }, (p) =>
  queryBuilder
    .update(hosting_deployments)
    .set({
      lease_until: sql`${p.now} + ${IMPORT_LEASE_MS}`,
      next_step_at: sql`${p.now} + ${IMPORT_LEASE_MS}`,
    })
    .where(isHeld(p)),
);

/** Statement: the archive is valid, and its manifest is stored. */
export const storeScan = statement(
  {
    ...held,
    fileCount: hosting_deployments.file_count,
    totalBytes: hosting_deployments.total_bytes,
    bytesNew: hosting_deployments.bytes_new,
    now: integer,
  },
  (p) =>
    queryBuilder
      .update(hosting_deployments)
      .set({ file_count: p.fileCount, total_bytes: p.totalBytes, bytes_new: p.bytesNew, updated_at: p.now })
      .where(isHeld(p)),
);

/** Statement: counts the files that a step has stored. */
export const countFiles = statement({ ...held, files: integer, now: integer }, (p) =>
  queryBuilder
    .update(hosting_deployments)
    .set({ files_done: sql`${files_done} + ${p.files}`, updated_at: p.now })
    .where(isHeld(p)),
);

/** Statement: ends a step and gives its lease back. The next one is due at `nextStepAt` (unix ms). */
export const releaseImport = statement({ ...held, nextStepAt: integer }, (p) =>
  queryBuilder
    .update(hosting_deployments)
    .set({ lease_token: null, lease_until: null, next_step_at: sql`${p.nextStepAt}` })
    .where(isHeld(p)),
);

/** Statement: the import failed. Its lease goes on, so that no upload starts before the objects are removed. */
export const failImport = statement(
  { ...held, error: text, warnings: hosting_deployments.warnings, now: integer },
  (p) =>
    queryBuilder
      .update(hosting_deployments)
      .set({
        status: "failed",
        error: sql`${p.error}`,
        warnings: p.warnings,
        next_step_at: null,
        notice_at: p.now,
        updated_at: p.now,
      })
      .where(isHeld(p)),
);

const isFailed = (p: { id: SQL; token: SQL }) =>
  sql`exists (select 1 from ${hosting_deployments} where ${id} = ${p.id} and ${lease_token} = ${p.token} and ${status} = 'failed')`;

/** Statement: the event of an import that this batch failed. */
export const addFailedEvent = statement(
  { ...eventRow, id, token: text, now: integer },
  ({ id: deploymentId, token, now, ...p }) => insertEventIf(p, now, isFailed({ id: deploymentId, token })),
);

/** Statement: gives the lease of a failed deployment back. */
export const releaseFailure = statement({ id, token: text }, (p) =>
  queryBuilder
    .update(hosting_deployments)
    .set({ lease_token: null, lease_until: null })
    .where(and(eq(id, p.id), eq(lease_token, p.token), eq(status, sql`'failed'`))),
);

/** Statement: the imports whose next step is due and not running, those that wait longest first. */
export const findDueImports = statement({ now: integer }, (p) =>
  queryBuilder
    .select({ id, company_id })
    .from(hosting_deployments)
    .where(and(lte(next_step_at, p.now), sql`${next_step_at} is not null`, isExtracting, isFree(p.now)))
    .orderBy(asc(next_step_at))
    .limit(MAX_DUE),
);

const hashes = json<readonly string[]>();
const listed = { companyId: hosting_blobs.company_id, hashes, now: integer };
const isListed = (p: { companyId: SQL<number>; hashes: SQL<readonly string[]> }) =>
  and(eq(hosting_blobs.company_id, p.companyId), isInList(hosting_blobs.sha256, p.hashes));

/** Statement: takes the listed blobs back from a clean-up that marked them before `markedBefore`. */
export const reclaimBlobs = statement({ ...listed, markedBefore: integer }, (p) =>
  queryBuilder
    .update(hosting_blobs)
    .set({ removed_at: null, stored_at: null, touched_at: p.now })
    .where(and(isListed(p), lte(hosting_blobs.removed_at, p.markedBefore))),
);

/** Statement: the listed blobs without bytes. A clean-up is removing those with `is_marked`. */
export const findUnstored = statement({ companyId: hosting_blobs.company_id, hashes }, (p) =>
  selectRows(
    {
      sha256: hosting_blobs.sha256,
      is_marked: sql`${hosting_blobs.removed_at} is not null`.mapWith(boolean),
    },
    (selected) => sql`select ${selected} from ${hosting_blobs} where ${isListed(p)}
      and (${hosting_blobs.stored_at} is null or ${hosting_blobs.removed_at} is not null)`,
  ),
);

/** Statement: the bytes of the listed blobs are stored. */
export const storeBlobs = statement(listed, (p) =>
  queryBuilder
    .update(hosting_blobs)
    .set({ stored_at: p.now })
    .where(and(isListed(p), sql`${hosting_blobs.removed_at} is null`)),
);
