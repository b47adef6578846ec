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
import { noticeAssignments } from "./threshold.store";

/** The effective cap of a user: their own, else the company's default. 0 means no limit. */
const userCap = sql`coalesce(${user_quotas.max_bytes}, ${company_quotas.max_bytes_per_user}, 0)`;

/** Inserts the quota row of a user if it is missing, because the check of the caps joins this row. */
export const addUserQuota = statement({ companyId: user_quotas.company_id, userId: user_quotas.user_id }, (p) =>
  queryBuilder.insert(user_quotas).values({ company_id: p.companyId, user_id: p.userId }).onConflictDoNothing(),
);

const reservation = {
  id: quota_reservations.id,
  companyId: quota_reservations.company_id,
  userId: quota_reservations.user_id,
  companyBytes: quota_reservations.company_bytes,
  userBytes: quota_reservations.user_bytes,
  blobKey: quota_reservations.blob_key,
  r2UploadId: quota_reservations.r2_upload_id,
  expiresAt: quota_reservations.expires_at,
};

/** Returns the condition that more bytes fit into the caps of company and user. Zero bytes always fit. */
const fits = (companyBytes: SQLWrapper, userBytes: SQLWrapper): SQL =>
  sql`(${companyBytes} = 0 or ${company_quotas.max_bytes} is null or ${company_quotas.used_bytes} + ${company_quotas.reserved_bytes} + ${companyBytes} <= ${company_quotas.max_bytes})
    and (${userBytes} = 0 or ${userCap} = 0 or ${user_quotas.used_bytes} + ${user_quotas.reserved_bytes} + ${userBytes} <= ${userCap})`;

const fromQuotas = (companyId: SQLWrapper, userId: SQLWrapper): SQL =>
  sql`from ${company_quotas} join ${user_quotas} on ${user_quotas.company_id} = ${company_quotas.company_id} and ${user_quotas.user_id} = ${userId} where ${company_quotas.company_id} = ${companyId}`;

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
      quota_reservations,
      rowOf(p),
      sql`${fromQuotas(p.companyId, p.userId)} and ${fits(p.companyBytes, p.userBytes)}`,
    )} on conflict do nothing`,
);

/** Hands a blob to the sweep for removal if its reservation could not be renewed. */
export const insertUnreservedBlob = statement(
  { id: quota_reservations.id, key: storage_blobs.key, companyId: storage_blobs.company_id, now: integer },
  (p) =>
    sql`${insertSelect(
      storage_blobs,
      { key: p.key, company_id: p.companyId, size: 0, refs: 0, unreferenced_at: p.now },
      sql`where not exists (select 1 from ${quota_reservations} where ${quota_reservations.id} = ${p.id})`,
    )} on conflict do nothing`,
);

// When a batch that reserves and commits is repeated, its change may already be done. The object's change id or the event row
// then exists, and nothing is reserved.
const insertOnce = statement(
  { ...reservation, bucketId: storage_objects.bucket_id, name: storage_objects.name, eventId: event_log.id },
  (p) =>
    sql`${insertSelect(
      quota_reservations,
      rowOf(p),
      sql`${fromQuotas(p.companyId, p.userId)} and ${fits(p.companyBytes, p.userBytes)}
        and not exists (select 1 from ${storage_objects} where ${storage_objects.bucket_id} = ${p.bucketId} and ${storage_objects.name} = ${p.name} and ${storage_objects.change_id} = ${p.id})
        and not exists (select 1 from ${event_log} where ${event_log.company_id} = ${p.companyId} and ${event_log.id} = ${p.eventId})`,
    )} on conflict do nothing`,
);

const reserveOfCompany = statement({ companyId: company_quotas.company_id, bytes: integer }, (p) =>
  queryBuilder
    .update(company_quotas)
    .set({ reserved_bytes: sql`${company_quotas.reserved_bytes} + ${p.bytes}` })
    .where(sql`${company_quotas.company_id} = ${p.companyId} and changes() > 0`),
);

const reserveOfUser = statement(
  { companyId: user_quotas.company_id, userId: user_quotas.user_id, bytes: integer },
  (p) =>
    queryBuilder
      .update(user_quotas)
      .set({ reserved_bytes: sql`${user_quotas.reserved_bytes} + ${p.bytes}` })
      .where(
        sql`${user_quotas.company_id} = ${p.companyId} and ${user_quotas.user_id} = ${p.userId} and changes() > 0`,
      ),
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
export type ChangeKey = { bucketId: string; name: string; eventId: string | null };

/** Like reserve, for the batch that also commits the change. A repeat of a committed change reserves nothing. */
export const reserveOnce = (input: Reservation, mark: ChangeKey) =>
  followedBy(
    insertOnce({ ...input, bucketId: mark.bucketId, name: mark.name, eventId: mark.eventId ?? "" }),
    reserveOfCompany({ companyId: input.companyId, bytes: input.companyBytes }),
    reserveOfUser({ companyId: input.companyId, userId: input.userId, bytes: input.userBytes }),
  );

const growReservation = statement(
  {
    id: quota_reservations.id,
    companyId: quota_reservations.company_id,
    userId: quota_reservations.user_id,
    bytesBefore: integer,
    companyBytes: integer,
    userBytes: integer,
    r2UploadId: quota_reservations.r2_upload_id,
    expiresAt: quota_reservations.expires_at,
  },
  (p) =>
    queryBuilder
      .update(quota_reservations)
      .set({
        company_bytes: sql`${quota_reservations.company_bytes} + ${p.companyBytes}`,
        user_bytes: sql`${quota_reservations.user_bytes} + ${p.userBytes}`,
        r2_upload_id: p.r2UploadId,
        expires_at: p.expiresAt,
      })
      .where(
        sql`${quota_reservations.id} = ${p.id} and ${quota_reservations.company_bytes} + ${quota_reservations.user_bytes} = ${p.bytesBefore}
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
export const setR2UploadId = statement(
  { id: quota_reservations.id, r2UploadId: quota_reservations.r2_upload_id },
  (p) =>
    queryBuilder.update(quota_reservations).set({ r2_upload_id: p.r2UploadId }).where(eq(quota_reservations.id, p.id)),
);

/** Extends the reservation of a running upload. */
export const extendReservation = statement(
  { id: quota_reservations.id, expiresAt: quota_reservations.expires_at },
  (p) =>
    queryBuilder.update(quota_reservations).set({ expires_at: p.expiresAt }).where(eq(quota_reservations.id, p.id)),
);

/** Selects the caps and usage that decide a reservation, and the reservation itself. `reserved_by` is null if there is none. */
export const findQuotas = statement(
  { companyId: company_quotas.company_id, userId: user_quotas.user_id, reservation: quota_reservations.id },
  (p) =>
    selectRows(
      {
        max_bytes: company_quotas.max_bytes,
        used_bytes: company_quotas.used_bytes,
        reserved_bytes: company_quotas.reserved_bytes,
        user_cap: sql`coalesce(${user_quotas.max_bytes}, ${company_quotas.max_bytes_per_user}, 0)`.mapWith(integer),
        user_used_bytes: sql`coalesce(${user_quotas.used_bytes}, 0)`.mapWith(integer),
        user_reserved_bytes: sql`coalesce(${user_quotas.reserved_bytes}, 0)`.mapWith(integer),
        refused_at: company_quotas.refused_at,
        user_refused_at: nullableColumn(user_quotas.refused_at),
        reserved_by: nullableColumn(quota_reservations.id),
        held_bytes: sql`coalesce(${quota_reservations.company_bytes} + ${quota_reservations.user_bytes}, 0)`.mapWith(
          integer,
        ),
      },
      (columns) => sql`select ${columns} from ${company_quotas}
      left join ${user_quotas} on ${user_quotas.company_id} = ${company_quotas.company_id} and ${user_quotas.user_id} = ${p.userId}
      left join ${quota_reservations} on ${quota_reservations.id} = ${p.reservation} where ${company_quotas.company_id} = ${p.companyId}`,
    ),
);

/** Selects the bytes that a reservation holds. */
export const findReservedBytes = statement({ id: quota_reservations.id }, (p) =>
  queryBuilder
    .select({ companyBytes: quota_reservations.company_bytes, userBytes: quota_reservations.user_bytes })
    .from(quota_reservations)
    .where(eq(quota_reservations.id, p.id)),
);

const expiredColumns = {
  id: quota_reservations.id,
  blob_key: quota_reservations.blob_key,
  r2_upload_id: quota_reservations.r2_upload_id,
};

/** Selects expired reservations of one company. */
export const listExpiredOfCompany = statement({ companyId: quota_reservations.company_id, now: integer }, (p) =>
  queryBuilder
    .select(expiredColumns)
    .from(quota_reservations)
    .where(and(lte(quota_reservations.expires_at, p.now), eq(quota_reservations.company_id, p.companyId)))
    .limit(100),
);

/** Selects expired reservations of all companies. */
export const listExpired = statement({ now: integer, limit: integer }, (p) =>
  queryBuilder
    .select(expiredColumns)
    .from(quota_reservations)
    .where(lte(quota_reservations.expires_at, p.now))
    .orderBy(asc(quota_reservations.expires_at))
    .limit(p.limit),
);

const ids = json<readonly string[]>();

const listedRows = (list: SQL<readonly string[]>): SQL => {
  const { from, value } = jsonEach(list);
  return sql`from ${from} cross join ${quota_reservations} on ${quota_reservations.id} = ${value}`;
};

const insertReleasedBlobs = statement(
  { ids, now: integer },
  (p) =>
    sql`${insertSelect(
      storage_blobs,
      {
        key: quota_reservations.blob_key,
        company_id: quota_reservations.company_id,
        size: 0,
        refs: 0,
        unreferenced_at: p.now,
      },
      sql`${listedRows(p.ids)} where true`,
    )} on conflict do nothing`,
);

const creditCompanies = statement(
  { ids },
  (p) =>
    sql`update ${company_quotas} set ${columnName(company_quotas.reserved_bytes)} = max(0, ${company_quotas.reserved_bytes} - released.bytes)
    from (select ${quota_reservations.company_id} as company, sum(${quota_reservations.company_bytes}) as bytes ${listedRows(p.ids)} group by 1) released
    where ${company_quotas.company_id} = released.company`,
);

const creditUsers = statement(
  { ids },
  (p) =>
    sql`update ${user_quotas} set ${columnName(user_quotas.reserved_bytes)} = max(0, ${user_quotas.reserved_bytes} - released.bytes)
    from (select ${quota_reservations.company_id} as company, ${quota_reservations.user_id} as user, sum(${quota_reservations.user_bytes}) as bytes ${listedRows(p.ids)}
      group by 1, 2) released
    where ${user_quotas.company_id} = released.company and ${user_quotas.user_id} = released.user`,
);

const deleteReservations = statement({ ids }, (p) =>
  queryBuilder.delete(quota_reservations).where(isInList(quota_reservations.id, p.ids)),
);

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

const change = { bucketId: storage_objects.bucket_id, name: storage_objects.name, change: storage_objects.change_id };

/** Turns the reserved bytes of the company into used bytes when a change is committed. */
export const chargeCompany = statement(
  { ...change, companyId: company_quotas.company_id, bytes: integer, objects: integer, now: integer },
  (p) =>
    sql`update ${company_quotas} set ${assignments(company_quotas, {
      used_bytes: sql`max(0, ${company_quotas.used_bytes} + ${p.bytes})`,
      reserved_bytes: sql`max(0, ${company_quotas.reserved_bytes} - (select ${quota_reservations.company_bytes} from ${quota_reservations} where ${quota_reservations.id} = ${p.change}))`,
      object_count: sql`max(0, ${company_quotas.object_count} + ${p.objects})`,
      ...noticeAssignments(p.bytes, p.now),
    })} where ${company_quotas.company_id} = ${p.companyId} and ${isCommitted(p)}`,
);

/** Like chargeCompany, for the user who owns the object. */
export const chargeUser = statement(
  { ...change, companyId: user_quotas.company_id, userId: user_quotas.user_id, bytes: integer },
  (p) =>
    sql`update ${user_quotas} set ${assignments(user_quotas, {
      used_bytes: sql`max(0, ${user_quotas.used_bytes} + ${p.bytes})`,
      reserved_bytes: sql`max(0, ${user_quotas.reserved_bytes} - (select ${quota_reservations.user_bytes} from ${quota_reservations} where ${quota_reservations.id} = ${p.change}))`,
    })} where ${user_quotas.company_id} = ${p.companyId} and ${user_quotas.user_id} = ${p.userId} and ${isCommitted(p)}`,
);

/** Subtracts a replaced object from the used bytes of its previous owner. */
export const creditFormerOwner = statement(
  { ...change, companyId: user_quotas.company_id, userId: user_quotas.user_id, bytes: integer },
  (p) =>
    sql`update ${user_quotas} set ${columnName(user_quotas.used_bytes)} = max(0, ${user_quotas.used_bytes} - ${p.bytes})
      where ${user_quotas.company_id} = ${p.companyId} and ${user_quotas.user_id} = ${p.userId} and ${isCommitted(p)}`,
);

/** Deletes the reservation of a committed change. Must be the last statement of a commit. */
export const endReservation = statement(
  change,
  (p) => sql`delete from ${quota_reservations} where ${quota_reservations.id} = ${p.change} and ${isCommitted(p)}`,
);
