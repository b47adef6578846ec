import { and, asc, eq, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { isCommitted } from "../../../db/storage/committed";
import {
  company_quotas,
  event_log,
  quota_reservations,
  storage_blobs,
  storage_objects,
  user_quotas,
} from "../../../db/storage/schema";
import { integer, json, type ValueOf } from "../../kit/db/kind";
import {
  assignments,
  columnName,
  insertSelect,
  isInList,
  jsonEach,
  nullableColumn,
  queryBuilder,
  selectRows,
} from "../../kit/db/query";
import { followedBy, statement } from "../../kit/db/statement";

const c = company_quotas;
const u = user_quotas;
const r = quota_reservations;

/** The effective cap of a user: their own, else the company's default. 0 means no limit. */
const userCap = sql`coalesce(${u.max_bytes}, ${c.max_bytes_per_user}, 0)`;

/** Inserts the quota row of a user if it is missing, because the check of the caps joins this row. */
export const addUserQuota = statement({ companyId: u.company_id, userId: u.user_id }, (p) =>
  queryBuilder.insert(u).values({ company_id: p.companyId, user_id: p.userId }).onConflictDoNothing(),
);

const reservation = {
  id: r.id,
  companyId: r.company_id,
  userId: r.user_id,
  companyBytes: r.company_bytes,
  userBytes: r.user_bytes,
  blobKey: r.blob_key,
  r2UploadId: r.r2_upload_id,
  expiresAt: r.expires_at,
};

/** Returns the condition that more bytes fit into the caps of company and user. Zero bytes always fit. */
const fits = (companyBytes: SQLWrapper, userBytes: SQLWrapper): SQL =>
  sql`(${companyBytes} = 0 or ${c.max_bytes} is null or ${c.used_bytes} + ${c.reserved_bytes} + ${companyBytes} <= ${c.max_bytes})
    and (${userBytes} = 0 or ${userCap} = 0 or ${u.used_bytes} + ${u.reserved_bytes} + ${userBytes} <= ${userCap})`;

const fromQuotas = (companyId: SQLWrapper, userId: SQLWrapper): SQL =>
  sql`from ${c} join ${u} on ${u.company_id} = ${c.company_id} and ${u.user_id} = ${userId} where ${c.company_id} = ${companyId}`;

type Parameters = { [K in keyof typeof reservation]: SQL<ValueOf<(typeof reservation)[K]>> };

/** Returns the columns of a reservation's row. */
const rowOf = (p: Parameters) => ({
  id: p.id,
  company_id: p.companyId,
  user_id: p.userId,
  company_bytes: p.companyBytes,
  user_bytes: p.userBytes,
  blob_key: p.blobKey,
  r2_upload_id: p.r2UploadId,
  expires_at: p.expiresAt,
});

const insertReservation = statement(
  reservation,
  (p) =>
    sql`${insertSelect(
      r,
      rowOf(p),
      sql`${fromQuotas(p.companyId, p.userId)} and ${fits(p.companyBytes, p.userBytes)}`,
    )} on conflict do nothing`,
);

/** Hands a blob to the sweep for removal if its reservation could not be renewed. */
export const insertUnreservedBlob = statement(
  { id: r.id, key: storage_blobs.key, companyId: storage_blobs.company_id, now: integer },
  (p) =>
    sql`${insertSelect(
      storage_blobs,
      { key: p.key, company_id: p.companyId, size: 0, refs: 0, unreferenced_at: p.now },
      sql`where not exists (select 1 from ${r} where ${r.id} = ${p.id})`,
    )} on conflict do nothing`,
);

const o = storage_objects;

// When a batch that reserves and commits is repeated, its change may already be done. The object's change id or the event row
// then exists, and nothing is reserved.
const insertOnce = statement(
  { ...reservation, bucketId: o.bucket_id, name: o.name, eventId: event_log.id },
  (p) =>
    sql`${insertSelect(
      r,
      rowOf(p),
      sql`${fromQuotas(p.companyId, p.userId)} and ${fits(p.companyBytes, p.userBytes)}
        and not exists (select 1 from ${o} where ${o.bucket_id} = ${p.bucketId} and ${o.name} = ${p.name} and ${o.change_id} = ${p.id})
        and not exists (select 1 from ${event_log} where ${event_log.company_id} = ${p.companyId} and ${event_log.id} = ${p.eventId})`,
    )} on conflict do nothing`,
);

const reserveOfCompany = statement({ companyId: c.company_id, bytes: integer }, (p) =>
  queryBuilder
    .update(c)
    .set({ reserved_bytes: sql`${c.reserved_bytes} + ${p.bytes}` })
    .where(sql`${c.company_id} = ${p.companyId} and changes() > 0`),
);

const reserveOfUser = statement({ companyId: u.company_id, userId: u.user_id, bytes: integer }, (p) =>
  queryBuilder
    .update(u)
    .set({ reserved_bytes: sql`${u.reserved_bytes} + ${p.bytes}` })
    .where(sql`${u.company_id} = ${p.companyId} and ${u.user_id} = ${p.userId} and changes() > 0`),
);

export type Reservation = {
  id: string;
  companyId: number;
  userId: number;
  companyBytes: number;
  userBytes: number;
  blobKey: string;
  r2UploadId: string | null;
  expiresAt: number;
};

/** Reserves bytes if the caps of the company and the user allow it. A repeat of the batch adds nothing. */
export const reserve = (input: Reservation) =>
  followedBy(
    insertReservation(input),
    reserveOfCompany({ companyId: input.companyId, bytes: input.companyBytes }),
    reserveOfUser({ companyId: input.companyId, userId: input.userId, bytes: input.userBytes }),
  );

/** Identifies the change that a batch reserves and commits. `eventId` is null for a change without an event. */
export type ChangeMark = { bucketId: string; name: string; eventId: string | null };

/** Like reserve, for the batch that also commits the change. A repeat of a committed change reserves nothing. */
export const reserveOnce = (input: Reservation, mark: ChangeMark) =>
  followedBy(
    insertOnce({ ...input, bucketId: mark.bucketId, name: mark.name, eventId: mark.eventId ?? "" }),
    reserveOfCompany({ companyId: input.companyId, bytes: input.companyBytes }),
    reserveOfUser({ companyId: input.companyId, userId: input.userId, bytes: input.userBytes }),
  );

const growReservation = statement(
  {
    id: r.id,
    companyId: r.company_id,
    userId: r.user_id,
    bytesBefore: integer,
    companyBytes: integer,
    userBytes: integer,
    r2UploadId: r.r2_upload_id,
    expiresAt: r.expires_at,
  },
  (p) =>
    queryBuilder
      .update(r)
      .set({
        company_bytes: sql`${r.company_bytes} + ${p.companyBytes}`,
        user_bytes: sql`${r.user_bytes} + ${p.userBytes}`,
        r2_upload_id: p.r2UploadId,
        expires_at: p.expiresAt,
      })
      .where(
        sql`${r.id} = ${p.id} and ${r.company_bytes} + ${r.user_bytes} = ${p.bytesBefore}
          and exists (select 1 ${fromQuotas(p.companyId, p.userId)} and ${fits(p.companyBytes, p.userBytes)})`,
      ),
);

/**
 * Adds bytes to a reservation if its company and user bytes sum to `bytesBefore` and the caps of the company and the user allow
 * it. A repeat of the batch adds nothing.
 */
export const grow = (input: Omit<Reservation, "blobKey"> & { bytesBefore: number }) =>
  followedBy(
    growReservation(input),
    reserveOfCompany({ companyId: input.companyId, bytes: input.companyBytes }),
    reserveOfUser({ companyId: input.companyId, userId: input.userId, bytes: input.userBytes }),
  );

/** Stores the R2 upload id in the reservation, so that the parts are removed if the upload fails. */
export const setR2UploadId = statement({ id: r.id, r2UploadId: r.r2_upload_id }, (p) =>
  queryBuilder.update(r).set({ r2_upload_id: p.r2UploadId }).where(eq(r.id, p.id)),
);

/** Extends the reservation of a running upload. */
export const extendReservation = statement({ id: r.id, expiresAt: r.expires_at }, (p) =>
  queryBuilder.update(r).set({ expires_at: p.expiresAt }).where(eq(r.id, p.id)),
);

/** Selects the caps and usage that decide a reservation, and the reservation itself. `reserved_by` is null if there is none. */
export const findQuotas = statement({ companyId: c.company_id, userId: u.user_id, reservation: r.id }, (p) =>
  selectRows(
    {
      max_bytes: c.max_bytes,
      used_bytes: c.used_bytes,
      reserved_bytes: c.reserved_bytes,
      user_cap: sql`coalesce(${u.max_bytes}, ${c.max_bytes_per_user}, 0)`.mapWith(integer),
      user_used_bytes: sql`coalesce(${u.used_bytes}, 0)`.mapWith(integer),
      user_reserved_bytes: sql`coalesce(${u.reserved_bytes}, 0)`.mapWith(integer),
      refused_at: c.refused_at,
      user_refused_at: nullableColumn(u.refused_at),
      reserved_by: nullableColumn(r.id),
      held_bytes: sql`coalesce(${r.company_bytes} + ${r.user_bytes}, 0)`.mapWith(integer),
    },
    (columns) => sql`select ${columns} from ${c}
      left join ${u} on ${u.company_id} = ${c.company_id} and ${u.user_id} = ${p.userId}
      left join ${r} on ${r.id} = ${p.reservation} where ${c.company_id} = ${p.companyId}`,
  ),
);

/** Selects the bytes that a reservation holds. */
export const findReservedBytes = statement({ id: r.id }, (p) =>
  queryBuilder.select({ companyBytes: r.company_bytes, userBytes: r.user_bytes }).from(r).where(eq(r.id, p.id)),
);

const expiredColumns = { id: r.id, blob_key: r.blob_key, r2_upload_id: r.r2_upload_id };

/** Selects expired reservations of one company. */
export const listExpiredOfCompany = statement({ companyId: r.company_id, now: integer }, (p) =>
  queryBuilder
    .select(expiredColumns)
    .from(r)
    .where(and(lte(r.expires_at, p.now), eq(r.company_id, p.companyId)))
    .limit(100),
);

/** Selects expired reservations of all companies. */
export const listExpired = statement({ now: integer, limit: integer }, (p) =>
  queryBuilder.select(expiredColumns).from(r).where(lte(r.expires_at, p.now)).orderBy(asc(r.expires_at)).limit(p.limit),
);

const ids = json<readonly string[]>();

const listedRows = (list: SQL<readonly string[]>): SQL => {
  const { from, value } = jsonEach(list);
  return sql`from ${from} cross join ${r} on ${r.id} = ${value}`;
};

const insertReleasedBlobs = statement(
  { ids, now: integer },
  (p) =>
    sql`${insertSelect(
      storage_blobs,
      { key: r.blob_key, company_id: r.company_id, size: 0, refs: 0, unreferenced_at: p.now },
      sql`${listedRows(p.ids)} where true`,
    )} on conflict do nothing`,
);

const creditCompanies = statement(
  { ids },
  (p) =>
    sql`update ${c} set ${columnName(c.reserved_bytes)} = max(0, ${c.reserved_bytes} - released.bytes)
    from (select ${r.company_id} as company, sum(${r.company_bytes}) as bytes ${listedRows(p.ids)} group by 1) released
    where ${c.company_id} = released.company`,
);

const creditUsers = statement(
  { ids },
  (p) =>
    sql`update ${u} set ${columnName(u.reserved_bytes)} = max(0, ${u.reserved_bytes} - released.bytes)
    from (select ${r.company_id} as company, ${r.user_id} as user, sum(${r.user_bytes}) as bytes ${listedRows(p.ids)}
      group by 1, 2) released
    where ${u.company_id} = released.company and ${u.user_id} = released.user`,
);

const deleteReservations = statement({ ids }, (p) => queryBuilder.delete(r).where(isInList(r.id, p.ids)));

/** Returns the statements that release reservations. `removeBlobs` is false if the blobs stay in use or were never stored. */
export const release = ({ ids, now, removeBlobs }: { ids: readonly string[]; now: number; removeBlobs: boolean }) => ({
  blobs: removeBlobs ? insertReleasedBlobs({ ids, now }) : null,
  companies: creditCompanies({ ids }),
  users: creditUsers({ ids }),
  reservations: deleteReservations({ ids }),
});

/** Takes an unreferenced blob back from the sweep, unless the sweep has already marked it for removal. */
export const reclaimBlob = statement({ key: storage_blobs.key }, (p) =>
  queryBuilder.delete(storage_blobs).where(and(eq(storage_blobs.key, p.key), eq(storage_blobs.refs, 0))),
);

const change = { bucketId: o.bucket_id, name: o.name, change: o.change_id };

/** Turns the reserved bytes of the company into used bytes when a change is committed. */
export const chargeCompany = statement(
  { ...change, companyId: c.company_id, bytes: integer, objects: integer },
  (p) =>
    sql`update ${c} set ${assignments(c, {
      used_bytes: sql`max(0, ${c.used_bytes} + ${p.bytes})`,
      reserved_bytes: sql`max(0, ${c.reserved_bytes} - (select ${r.company_bytes} from ${r} where ${r.id} = ${p.change}))`,
      object_count: sql`max(0, ${c.object_count} + ${p.objects})`,
    })} where ${c.company_id} = ${p.companyId} and ${isCommitted(p)}`,
);

/** Like chargeCompany, for the user who owns the object. */
export const chargeUser = statement(
  { ...change, companyId: u.company_id, userId: u.user_id, bytes: integer },
  (p) =>
    sql`update ${u} set ${assignments(u, {
      used_bytes: sql`max(0, ${u.used_bytes} + ${p.bytes})`,
      reserved_bytes: sql`max(0, ${u.reserved_bytes} - (select ${r.user_bytes} from ${r} where ${r.id} = ${p.change}))`,
    })} where ${u.company_id} = ${p.companyId} and ${u.user_id} = ${p.userId} and ${isCommitted(p)}`,
);

/** Subtracts a replaced object from the used bytes of its previous owner. */
export const creditFormerOwner = statement(
  { ...change, companyId: u.company_id, userId: u.user_id, bytes: integer },
  (p) =>
    sql`update ${u} set ${columnName(u.used_bytes)} = max(0, ${u.used_bytes} - ${p.bytes})
      where ${u.company_id} = ${p.companyId} and ${u.user_id} = ${p.userId} and ${isCommitted(p)}`,
);

/** Deletes the reservation of a committed change. Must be the last statement of a commit. */
export const endReservation = statement(
  change,
  (p) => sql`delete from ${r} where ${r.id} = ${p.change} and ${isCommitted(p)}`,
);
