import { and, desc, eq, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { share_links, storage_buckets, storage_objects } from "../../../db/storage/schema";
import { integer } from "../../kit/db/kind";
import { allColumns, insertSelect, queryBuilder, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

/** Returns the condition that a link is active at `now`: not revoked, not expired, and with downloads left. */
const isActive = (now: SQLWrapper): SQL =>
  sql`${share_links.revoked_at} is null and (${share_links.expires_at} is null or ${share_links.expires_at} > ${now})
    and (${share_links.max_downloads} is null or ${share_links.download_count} < ${share_links.max_downloads})`;

/** Inserts a link if its object exists and has fewer than `limit` active links. */
export const addShare = statement(
  {
    id: share_links.id,
    tokenHash: share_links.token_hash,
    companyId: share_links.company_id,
    objectId: share_links.object_id,
    userId: share_links.created_by_id,
    expiresAt: share_links.expires_at,
    maxDownloads: share_links.max_downloads,
    notes: share_links.notes,
    now: share_links.created_at,
    limit: integer,
  },
  (p) =>
    sql`${insertSelect(
      share_links,
      {
        id: p.id,
        token_hash: p.tokenHash,
        company_id: p.companyId,
        object_id: p.objectId,
        created_by_id: p.userId,
        expires_at: p.expiresAt,
        max_downloads: p.maxDownloads,
        notes: p.notes,
        created_at: p.now,
      },
      sql`where exists (select 1 from ${storage_objects} where ${storage_objects.id} = ${p.objectId})
        and (select count(*) from ${share_links} where ${share_links.object_id} = ${p.objectId} and ${isActive(p.now)}) < ${p.limit}`,
    )} on conflict do nothing`,
);

/** Selects a link by its id. */
export const findShare = statement({ id: share_links.id }, (p) =>
  queryBuilder.select(allColumns(share_links)).from(share_links).where(eq(share_links.id, p.id)),
);

/** Selects the links of an object, active ones first, then the newest. */
export const listShares = statement({ objectId: share_links.object_id, now: integer, limit: integer }, (p) =>
  queryBuilder
    .select(allColumns(share_links))
    .from(share_links)
    .where(eq(share_links.object_id, p.objectId))
    .orderBy(desc(sql`${isActive(p.now)}`), desc(share_links.id))
    .limit(p.limit),
);

/** Selects the limits and the object of a link by its token. Returns no row if the object is gone. */
export const findShareByToken = statement({ tokenHash: share_links.token_hash }, (p) =>
  selectRows(
    {
      share_id: share_links.id,
      created_by_id: share_links.created_by_id,
      expires_at: share_links.expires_at,
      max_downloads: share_links.max_downloads,
      download_count: share_links.download_count,
      revoked_at: share_links.revoked_at,
      ...allColumns(storage_objects),
    },
    (columns) =>
      sql`select ${columns} from ${share_links} join ${storage_objects} on ${storage_objects.id} = ${share_links.object_id} where ${share_links.token_hash} = ${p.tokenHash}`,
  ),
);

/** Counts a download if the link is still active. */
export const countDownload = statement({ id: share_links.id, now: integer }, (p) =>
  queryBuilder
    .update(share_links)
    .set({ download_count: sql`${share_links.download_count} + 1` })
    .where(and(eq(share_links.id, p.id), isActive(p.now))),
);

/** Selects a link of a company by its id or token, with bucket and path of its object. */
export const findShareOfCompany = statement(
  { companyId: share_links.company_id, id: share_links.id, tokenHash: share_links.token_hash },
  (p) =>
    selectRows(
      { ...allColumns(share_links), bucket: storage_buckets.name, path: storage_objects.name },
      (
        columns,
      ) => sql`select ${columns} from ${share_links} join ${storage_objects} on ${storage_objects.id} = ${share_links.object_id} join ${storage_buckets} on ${storage_buckets.id} = ${storage_objects.bucket_id}
      where ${and(or(eq(share_links.id, p.id), eq(share_links.token_hash, p.tokenHash)), eq(share_links.company_id, p.companyId))}`,
    ),
);

/** Revokes a link. Keeps the time of an earlier revocation. */
export const revokeShare = statement({ id: share_links.id, now: integer }, (p) =>
  queryBuilder
    .update(share_links)
    .set({ revoked_at: sql`coalesce(${share_links.revoked_at}, ${p.now})` })
    .where(eq(share_links.id, p.id))
    .returning({ revoked_at: share_links.revoked_at }),
);
