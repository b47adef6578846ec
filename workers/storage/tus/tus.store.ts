import { and, eq, isNull, lte, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { storage_blobs, storage_upload_parts, storage_uploads } from "../../../db/storage/schema";
import { integer, json, nullable, text } from "../../kit/db/kind";
import { assignments, columnName, insertSelect, jsonEach, queryBuilder } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const u = storage_uploads;
const blobs = storage_blobs;
const parts = storage_upload_parts;

/**
 * Takes the lease of an upload at the caller's offset, unless another request holds it. The caller reads the row back and
 * compares the token.
 */
export const lockUpload = statement(
  {
    id: u.id,
    companyId: u.company_id,
    userId: u.user_id,
    offset: u.received,
    token: u.lock_token,
    now: integer,
    until: u.locked_until,
  },
  (p) =>
    queryBuilder
      .update(u)
      .set({ lock_token: p.token, locked_until: p.until })
      .where(
        and(
          eq(u.id, p.id),
          eq(u.company_id, p.companyId),
          eq(u.user_id, p.userId),
          eq(u.received, p.offset),
          isNull(u.completed_at),
          sql`${u.expires_at} > ${p.now}`,
          or(isNull(u.locked_until), lte(u.locked_until, p.now as never)),
        ),
      ),
);

const lock = { id: u.id, token: text };
const holdsLock = (p: { id: SQLWrapper; token: SQLWrapper }): SQL =>
  sql`${u.id} = ${p.id} and ${u.lock_token} = ${p.token} and ${u.completed_at} is null`;

/** Renews the lease. Changes no row if the lease was lost or the upload has ended. */
export const renewLock = statement({ ...lock, until: u.locked_until }, (p) =>
  queryBuilder.update(u).set({ locked_until: p.until }).where(holdsLock(p)),
);

/** Ends the lease. */
export const unlockUpload = statement(lock, (p) =>
  queryBuilder.update(u).set({ lock_token: null, locked_until: null }).where(holdsLock(p)),
);

/** Inserts the blob row of a tail before the tail is stored. The sweep removes the blob unless the upload references it. */
export const insertTailBlob = statement(
  { ...lock, key: blobs.key, size: blobs.size, now: blobs.unreferenced_at },
  (p) =>
    sql`${insertSelect(
      blobs,
      { key: p.key, company_id: u.company_id as never, size: p.size, refs: 0, unreferenced_at: p.now },
      sql`from ${u} where ${holdsLock(p)}`,
    )} on conflict do nothing`,
);

const list = json<readonly { part: number; size: number; etag: string }[]>();

/** Inserts the rows of parts that are stored in R2. A part that is sent again replaces its row. */
export const addLockedParts = statement({ ...lock, list }, (p) => {
  const { from, item } = jsonEach(p.list);
  return sql`${insertSelect(
    parts,
    { upload_id: p.id, part: item.part, size: item.size, etag: item.etag },
    sql`from ${from} cross join ${u} on ${holdsLock(p)} where true`,
  )} on conflict (${columnName(parts.upload_id)}, ${columnName(parts.part)}) do update
    set ${assignments(parts, { size: sql`excluded.size`, etag: sql`excluded.etag` })}`;
});

const tailKey = nullable(text);

/** Hands the previous tail to the sweep for removal, unless it is also the new tail. */
export const freeTail = statement({ ...lock, key: tailKey, now: integer }, (p) => {
  const former = sql`(select ${u.tail_key} from ${u} where ${holdsLock(p)})`;
  return sql`update ${blobs} set ${assignments(blobs, { refs: 0, unreferenced_at: p.now })}
    where ${blobs.key} = ${former} and ${blobs.key} is not ${p.key} and ${blobs.refs} > 0`;
});

/** References the new tail, unless the sweep is removing it. */
export const holdTail = statement({ ...lock, key: tailKey }, (p) =>
  queryBuilder
    .update(blobs)
    .set({ refs: 1, unreferenced_at: null })
    .where(sql`${blobs.key} = ${p.key} and ${blobs.refs} >= 0 and exists (select 1 from ${u} where ${holdsLock(p)})`),
);

/**
 * Moves the offset of an upload and sets its tail. Changes nothing if the blob of the new tail is not referenced. A null
 * `next` ends the lease.
 */
export const advanceUpload = statement(
  {
    ...lock,
    received: u.received,
    tailKey: tailKey,
    tailSize: u.tail_size,
    size: u.size,
    next: u.lock_token,
    until: u.locked_until,
  },
  (p) =>
    queryBuilder
      .update(u)
      .set({
        received: p.received,
        tail_key: p.tailKey,
        tail_size: p.tailSize,
        size: sql`coalesce(${u.size}, ${p.size})`,
        lock_token: p.next,
        locked_until: p.until,
      })
      .where(
        sql`${holdsLock(p)} and (${p.tailKey} is null
          or exists (select 1 from ${blobs} where ${blobs.key} = ${p.tailKey} and ${blobs.refs} = 1))`,
      ),
);
