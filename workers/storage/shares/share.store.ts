import { and, desc, eq, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { share_links, storage_buckets, storage_objects } from "../../../db/storage/schema";
import { integer } from "../../kit/db/kind";
import { allColumns, insertSelect, queryBuilder, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const l = share_links;
const o = storage_objects;
const b = storage_buckets;

/** Returns the condition that a link is active at `now`: not revoked, not expired, and with downloads left. */
const isActive = (now: SQLWrapper): SQL =>
  sql`${l.revoked_at} is null and (${l.expires_at} is null or ${l.expires_at} > ${now})
    and (${l.max_downloads} is null or ${l.download_count} < ${l.max_downloads})`;

/** Inserts a link if its object exists and has fewer than `limit` active links. */
export const addShare = statement(
  {
    id: l.id,
    tokenHash: l.token_hash,
    companyId: l.company_id,
    objectId: l.object_id,
    userId: l.created_by_id,
    expiresAt: l.expires_at,
    maxDownloads: l.max_downloads,
    notes: l.notes,
    now: l.created_at,
    limit: integer,
  },
  (p) =>
    sql`${insertSelect(
      l,
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
      sql`where exists (select 1 from ${o} where ${o.id} = ${p.objectId})
        and (select count(*) from ${l} where ${l.object_id} = ${p.objectId} and ${isActive(p.now)}) < ${p.limit}`,
    )} on conflict do nothing`,
);

/** Selects a link by its id. */
export const findShare = statement({ id: l.id }, (p) =>
  queryBuilder.select(allColumns(l)).from(l).where(eq(l.id, p.id)),
);

/** Selects the links of an object, active ones first, then the newest. */
export const listShares = statement({ objectId: l.object_id, now: integer, limit: integer }, (p) =>
  queryBuilder
    .select(allColumns(l))
    .from(l)
    .where(eq(l.object_id, p.objectId))
    .orderBy(desc(sql`${isActive(p.now)}`), desc(l.id))
    .limit(p.limit),
);

/** Selects the limits and the object of a link by its token. Returns no row if the object is gone. */
export const findShareByToken = statement({ tokenHash: l.token_hash }, (p) =>
  selectRows(
    {
      share_id: l.id,
      created_by_id: l.created_by_id,
      expires_at: l.expires_at,
      max_downloads: l.max_downloads,
      download_count: l.download_count,
      revoked_at: l.revoked_at,
      ...allColumns(o),
    },
    (columns) =>
      sql`select ${columns} from ${l} join ${o} on ${o.id} = ${l.object_id} where ${l.token_hash} = ${p.tokenHash}`,
  ),
);

/** Counts a download if the link is still active. */
export const countDownload = statement({ id: l.id, now: integer }, (p) =>
  queryBuilder
    .update(l)
    .set({ download_count: sql`${l.download_count} + 1` })
    .where(and(eq(l.id, p.id), isActive(p.now))),
);

/** Selects a link of a company by its id or token, with bucket and path of its object. */
export const findShareOfCompany = statement({ companyId: l.company_id, id: l.id, tokenHash: l.token_hash }, (p) =>
  selectRows(
    { ...allColumns(l), bucket: b.name, path: o.name },
    (
      columns,
    ) => sql`select ${columns} from ${l} join ${o} on ${o.id} = ${l.object_id} join ${b} on ${b.id} = ${o.bucket_id}
      where ${and(or(eq(l.id, p.id), eq(l.token_hash, p.tokenHash)), eq(l.company_id, p.companyId))}`,
  ),
);

/** Revokes a link. Keeps the time of an earlier revocation. */
export const revokeShare = statement({ id: l.id, now: integer }, (p) =>
  queryBuilder
    .update(l)
    .set({ revoked_at: sql`coalesce(${l.revoked_at}, ${p.now})` })
    .where(eq(l.id, p.id))
    .returning({ revoked_at: l.revoked_at }),
);
