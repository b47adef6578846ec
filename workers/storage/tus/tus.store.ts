import { and, eq, isNull, lte, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { storage_blobs, storage_upload_parts, storage_uploads } from "../../../db/storage/schema";
import { integer, json, nullable, text } from "../../kit/db/kind";
import { assignments, columnName, insertSelect, jsonEach, queryBuilder } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const blobs = storage_blobs;
const parts = storage_upload_parts;

/**
 * Takes the lease of an upload at the caller's offset, unless another request holds it. The caller reads the row back and
 * compares the token.
 */
export const lockUpload = statement(
  {
    id: storage_uploads.id,
    companyId: storage_uploads.company_id,
    userId: storage_uploads.user_id,
    offset: storage_uploads.received,
    token: storage_uploads.lock_token,
    now: integer,
    until: storage_uploads.locked_until,
  },
  (p) =>
    queryBuilder
      .update(storage_uploads)
      .set({ lock_token: p.token, locked_until: p.until })
      .where(
        and(
          eq(storage_uploads.id, p.id),
          eq(storage_uploads.company_id, p.companyId),
          eq(storage_uploads.user_id, p.userId),
          eq(storage_uploads.received, p.offset),
          isNull(storage_uploads.completed_at),
          sql`${storage_uploads.expires_at} > ${p.now}`,
          or(isNull(storage_uploads.locked_until), lte(storage_uploads.locked_until, p.now as never)),
        ),
      ),
);

const lock = { id: storage_uploads.id, token: text };
const holdsLock = (p: { id: SQLWrapper; token: SQLWrapper }): SQL =>
  sql`${storage_uploads.id} = ${p.id} and ${storage_uploads.lock_token} = ${p.token} and ${storage_uploads.completed_at} is null`;

/** Renews the lease. Changes no row if the lease was lost or the upload has ended. */
export const renewLock = statement({ ...lock, until: storage_uploads.locked_until }, (p) =>
  queryBuilder.update(storage_uploads).set({ locked_until: p.until }).where(holdsLock(p)),
);

/** Ends the lease. */
export const unlockUpload = statement(lock, (p) =>
  queryBuilder.update(storage_uploads).set({ lock_token: null, locked_until: null }).where(holdsLock(p)),
);

/** Inserts the blob row of a tail before the tail is stored. The sweep removes the blob unless the upload references it. */
export const insertTailBlob = statement(
  { ...lock, key: blobs.key, size: blobs.size, now: blobs.unreferenced_at },
  (p) =>
    sql`${insertSelect(
      blobs,
      { key: p.key, company_id: storage_uploads.company_id as never, size: p.size, refs: 0, unreferenced_at: p.now },
      sql`from ${storage_uploads} where ${holdsLock(p)}`,
    )} on conflict do nothing`,
);

const list = json<readonly { part: number; size: number; etag: string }[]>();

/** Inserts the rows of parts that are stored in R2. A part that is sent again replaces its row. */
export const addLockedParts = statement({ ...lock, list }, (p) => {
  const { from, item } = jsonEach(p.list);
  return sql`${insertSelect(
    parts,
    { upload_id: p.id, part: item.part, size: item.size, etag: item.etag },
    sql`from ${from} cross join ${storage_uploads} on ${holdsLock(p)} where true`,
  )} on conflict (${columnName(parts.upload_id)}, ${columnName(parts.part)}) do update
    set ${assignments(parts, { size: sql`excluded.size`, etag: sql`excluded.etag` })}`;
});

const tailKey = nullable(text);

/** Hands the previous tail to the sweep for removal, unless it is also the new tail. */
export const freeTail = statement({ ...lock, key: tailKey, now: integer }, (p) => {
  const former = sql`(select ${storage_uploads.tail_key} from ${storage_uploads} where ${holdsLock(p)})`;
  return sql`update ${blobs} set ${assignments(blobs, { refs: 0, unreferenced_at: p.now })}
    where ${blobs.key} = ${former} and ${blobs.key} is not ${p.key} and ${blobs.refs} > 0`;
});

/** References the new tail, unless the sweep is removing it. */
export const holdTail = statement({ ...lock, key: tailKey }, (p) =>
  queryBuilder
    .update(blobs)
    .set({ refs: 1, unreferenced_at: null })
    .where(
      sql`${blobs.key} = ${p.key} and ${blobs.refs} >= 0 and exists (select 1 from ${storage_uploads} where ${holdsLock(p)})`,
    ),
);

/**
 * Moves the offset of an upload and sets its tail. Changes nothing if the blob of the new tail is not referenced. A null
 * `next` ends the lease.
 */
export const advanceUpload = statement(
  {
    ...lock,
    received: storage_uploads.received,
    tailKey: tailKey,
    tailSize: storage_uploads.tail_size,
    size: storage_uploads.size,
    next: storage_uploads.lock_token,
    until: storage_uploads.locked_until,
  },
  (p) =>
    queryBuilder
      .update(storage_uploads)
      .set({
        received: p.received,
        tail_key: p.tailKey,
        tail_size: p.tailSize,
        size: sql`coalesce(${storage_uploads.size}, ${p.size})`,
        lock_token: p.next,
        locked_until: p.until,
      })
      .where(
        sql`${holdsLock(p)} and (${p.tailKey} is null
          or exists (select 1 from ${blobs} where ${blobs.key} = ${p.tailKey} and ${blobs.refs} = 1))`,
      ),
);
