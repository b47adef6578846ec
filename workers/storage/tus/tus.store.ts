import { and, eq, isNull, lte, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { storage_blobs, storage_upload_parts, storage_uploads } from "../../../db/storage/schema";
import { integer, json, nullable, text } from "../../kit/db/kind";
import { assign, each, insertSelect, name, q } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const u = storage_uploads;
const blobs = storage_blobs;
const parts = storage_upload_parts;

/** Takes the lock of an upload that has the offset that the caller believes, while nobody has it. Read back by its token. */
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
    q
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

const held = { id: u.id, token: text };
const isHeld = (p: { id: SQLWrapper; token: SQLWrapper }): SQL =>
  sql`${u.id} = ${p.id} and ${u.lock_token} = ${p.token} and ${u.completed_at} is null`;

/** Keeps the lock for longer; no change: somebody else has it, or the upload is over. */
export const renewLock = statement({ ...held, until: u.locked_until }, (p) =>
  q.update(u).set({ locked_until: p.until }).where(isHeld(p)),
);

/** Lets go of it. */
export const unlockUpload = statement(held, (p) =>
  q.update(u).set({ lock_token: null, locked_until: null }).where(isHeld(p)),
);

/** The key of a tail that is about to be stored: the sweeper's, until the upload names it. */
export const announceTail = statement(
  { ...held, key: blobs.key, size: blobs.size, now: blobs.unreferenced_at },
  (p) =>
    sql`${insertSelect(
      blobs,
      { key: p.key, company_id: u.company_id as never, size: p.size, refs: 0, unreferenced_at: p.now },
      sql`from ${u} where ${isHeld(p)}`,
    )} on conflict do nothing`,
);

const list = json<readonly { part: number; size: number; etag: string }[]>();

/** Parts that R2 has; one that was sent before is replaced. */
export const addHeldParts = statement({ ...held, list }, (p) => {
  const { from, of } = each(p.list);
  return sql`${insertSelect(
    parts,
    { upload_id: p.id, part: of.part, size: of.size, etag: of.etag },
    sql`from ${from} cross join ${u} on ${isHeld(p)} where true`,
  )} on conflict (${name(parts.upload_id)}, ${name(parts.part)}) do update
    set ${assign(parts, { size: sql`excluded.size`, etag: sql`excluded.etag` })}`;
});

const tailKey = nullable(text);

/** The tail of before, unless it is the one that is to be, is the sweeper's. */
export const freeTail = statement({ ...held, key: tailKey, now: integer }, (p) => {
  const former = sql`(select ${u.tail_key} from ${u} where ${isHeld(p)})`;
  return sql`update ${blobs} set ${assign(blobs, { refs: 0, unreferenced_at: p.now })}
    where ${blobs.key} = ${former} and ${blobs.key} is not ${p.key} and ${blobs.refs} > 0`;
});

/** The new one is the upload's, unless it is being removed. */
export const holdTail = statement({ ...held, key: tailKey }, (p) =>
  q
    .update(blobs)
    .set({ refs: 1, unreferenced_at: null })
    .where(sql`${blobs.key} = ${p.key} and ${blobs.refs} >= 0 and exists (select 1 from ${u} where ${isHeld(p)})`),
);

/** What an upload has received for good, with a tail only when that is its own. `next` null lets go of the lock. */
export const advanceUpload = statement(
  {
    ...held,
    received: u.received,
    tailKey: tailKey,
    tailSize: u.tail_size,
    size: u.size,
    next: u.lock_token,
    until: u.locked_until,
  },
  (p) =>
    q
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
        sql`${isHeld(p)} and (${p.tailKey} is null
          or exists (select 1 from ${blobs} where ${blobs.key} = ${p.tailKey} and ${blobs.refs} = 1))`,
      ),
);
