import { and, eq, type SQL, sql } from "drizzle-orm";
import { hosting_deployments } from "../../../db/hosting/schema";
import { integer, nullable, text } from "../../kit/db/kind";
import { allColumns, queryBuilder } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { SECOND_MS } from "../../kit/time";

/** The lease of an upload, which is renewed while it runs. Another upload may start when it has ended. */
export const UPLOAD_LEASE_MS = 60 * SECOND_MS;

const { id, company_id, status, file_count, lease_token, lease_until, artifact_size } = hosting_deployments;

const key = { id, companyId: company_id, token: text };

// A draft with files is a deployment by manifest.
const acceptsArchive = sql`(${status} in ('ready', 'failed', 'uploading') or ${status} = 'draft' and ${file_count} is null)`;

/** Statement: lets an upload hold the deployment, unless another upload or a clean-up holds it. */
export const startUpload = statement({ ...key, now: integer }, (p) =>
  queryBuilder
    .update(hosting_deployments)
    .set({
      status: "uploading",
      lease_token: p.token,
      lease_until: sql`${p.now} + ${UPLOAD_LEASE_MS}`,
      updated_at: p.now,
    })
    .where(
      and(
        eq(id, p.id),
        eq(company_id, p.companyId),
        acceptsArchive,
        sql`(${lease_until} is null or ${lease_until} <= ${p.now})`,
      ),
    ),
);

const isHeld = (p: { id: SQL<string>; companyId: SQL<number>; token: SQL<string> }) =>
  and(eq(id, p.id), eq(company_id, p.companyId), eq(lease_token, p.token), eq(status, sql`'uploading'`));

/** Statement: renews the lease of an upload. */
export const renewUpload = statement({ ...key, now: integer }, (p) =>
  queryBuilder
    .update(hosting_deployments)
    .set({ lease_until: sql`${p.now} + ${UPLOAD_LEASE_MS}` })
    .where(isHeld(p)),
);

/** Statement: the archive is stored. The files of an earlier archive are forgotten. Returns the deployment. */
export const finishUpload = statement({ ...key, size: artifact_size, now: integer }, (p) =>
  queryBuilder
    .update(hosting_deployments)
    .set({
      status: "ready",
      artifact_size: p.size,
      file_count: null,
      total_bytes: null,
      bytes_new: null,
      files_done: 0,
      error: null,
      warnings: [],
      lease_token: null,
      lease_until: null,
      updated_at: p.now,
    })
    .where(isHeld(p))
    .returning(allColumns(hosting_deployments)),
);

/** Statement: the upload failed; the deployment gets its earlier state back. */
export const endUpload = statement({ ...key, previous: text, error: nullable(text) }, (p) =>
  queryBuilder
    .update(hosting_deployments)
    .set({ status: sql`${p.previous}`, error: sql`${p.error}`, lease_token: null, lease_until: null })
    .where(isHeld(p)),
);
