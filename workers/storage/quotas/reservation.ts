import type { Db } from "../../kit/db/db";
import { uuid } from "../../kit/ids";
import { HOUR_MS, MINUTE_MS } from "../../kit/time";
import { batchWithEvents } from "../../kit/webhooks/event-store/new-event";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import {
  addUserQuota,
  type ChangeKey,
  chargeCompany,
  chargeUser,
  creditFormerOwner,
  endReservation,
  extendReservation,
  findQuotas,
  grow,
  insertUnreservedBlob,
  listExpiredOfCompany,
  type Reservation,
  reclaimBlob,
  release,
  reserve,
  reserveOnce,
} from "./reservation.store";
import {
  addCompanyRejectionEvent,
  addCompanyThresholdEvents,
  addUserRejectionEvent,
  addUserThresholdEvents,
  recordCompanyRejection,
  recordUserRejection,
} from "./threshold.store";

export type { Reservation } from "./reservation.store";
export { findQuotas, findReservedBytes, listExpired, release, setR2UploadId } from "./reservation.store";

/**
 * The lifetimes of reservations. A single-request upload gets RESERVATION_MS and extends its reservation while it streams. A
 * multipart upload gets UPLOAD_MS at once.
 */
export const RESERVATION_MS = 15 * MINUTE_MS;
export const UPLOAD_MS = 24 * HOUR_MS;

/**
 * Returns the bytes to reserve for a new version. Company and owner reserve the growth, but a user who replaces another
 * user's object reserves the full size.
 */
export function bytesFor(size: number, userId: number, old: { size: number; owner_id: number } | null) {
  const growth = Math.max(0, size - (old?.size ?? 0));
  return { companyBytes: growth, userBytes: old !== null && old.owner_id !== userId ? size : growth };
}

type Bytes = ReturnType<typeof bytesFor>;

/** Maximum number of batches of 100 expired reservations that a rejected request releases. */
const RELEASE_ROUNDS = 50;

/** The row of findQuotas that decides a reservation. */
type Facts = {
  max_bytes: number | null;
  used_bytes: number;
  reserved_bytes: number;
  user_cap: number;
  user_used_bytes: number;
  user_reserved_bytes: number;
  refused_at: number | null;
  user_refused_at: number | null;
  reserved_by: string | null;
  held_bytes: number;
};

/**
 * Reserves bytes in one round trip, before any byte is stored. If they do not fit, releases expired reservations and tries
 * once more. Throws 413 `company_quota_exceeded` or `user_quota_exceeded`. With `replacesExisting`, the new reservation
 * replaces the one with the same id, whose blob is already stored. If the bytes do not fit, the sweep removes this blob.
 * `reportedBytes` is the amount that the error reports, if more bytes will follow.
 */
export async function reserveBytes(
  services: StorageServices,
  requested: Reservation,
  { replacesExisting = false, reportedBytes = requested }: { replacesExisting?: boolean; reportedBytes?: Bytes } = {},
): Promise<void> {
  const { dbOf, clock } = services;
  const { id, companyId, userId, blobKey } = requested;
  const tryReserve = async (): Promise<Facts | null> => {
    const previous = replacesExisting ? release({ ids: [id], now: clock.now(), removeBlobs: false }) : {};
    const { facts } = await dbOf(companyId).batch({
      ...previous,
      blob: replacesExisting ? reclaimBlob({ key: blobKey }) : null,
      user: addUserQuota({ companyId, userId }),
      reservation: reserve(requested),
      unreserved: replacesExisting ? insertUnreservedBlob({ id, key: blobKey, companyId, now: clock.now() }) : null,
      facts: findQuotas({ companyId, userId, reservation: id }),
    });
    return facts.first;
  };
  await reserveOrReject(services, requested, reportedBytes, tryReserve);
}

/**
 * Adds bytes to a reservation. Throws the errors of reserveBytes, and 409 `concurrent_modification` if the reservation does
 * not hold `reserved` bytes.
 */
export async function growReservation(
  services: StorageServices,
  increase: Omit<Reservation, "blobKey">,
  reserved: Bytes,
  reportedBytes: Bytes = increase,
): Promise<void> {
  const { companyId, userId, id } = increase;
  const bytesBefore = reserved.companyBytes + reserved.userBytes;
  await reserveOrReject(services, increase, reportedBytes, async () => {
    const { grown, facts } = await services.dbOf(companyId).batch({
      grown: grow({ ...increase, bytesBefore }),
      facts: findQuotas({ companyId, userId, reservation: id }),
    });
    const row = facts.first;
    if (row === null || grown.changes > 0) return row;
    // A missing reservation is not a quota problem. A reservation that has already grown means that the batch was repeated.
    if (row.reserved_by === null) throw new Problem("storage_error");
    if (row.held_bytes === bytesBefore + increase.companyBytes + increase.userBytes) return row;
    if (row.held_bytes !== bytesBefore) throw new Problem("concurrent_modification");
    return { ...row, reserved_by: null };
  });
}

async function reserveOrReject(
  services: StorageServices,
  requested: Omit<Reservation, "blobKey">,
  reportedBytes: Bytes,
  tryReserve: () => Promise<Facts | null>,
): Promise<void> {
  const first = await tryReserve();
  if (first?.reserved_by) return;
  const facts = (await releaseExpired(services, requested.companyId)) ? await tryReserve() : first;
  if (facts?.reserved_by) return;
  if (facts === null) throw new Problem("service_unavailable");
  await recordQuotaRejection(services, requested, facts);
  throw quotaProblem(reportedBytes, facts);
}

/** Releases the expired reservations of a company. Returns whether there were any. */
export async function releaseExpired(services: StorageServices, companyId: number): Promise<boolean> {
  const db = services.dbOf(companyId);
  const now = services.clock.now();
  for (let round = 0; round < RELEASE_ROUNDS; round++) {
    const expired = await db.all(listExpiredOfCompany({ companyId, now }));
    if (expired.length === 0) return round > 0;
    await endExpiredReservations(services, db, expired);
  }
  return true;
}

/** Ends expired reservations in one database and aborts their multipart uploads. The sweep removes their blobs. */
export async function endExpiredReservations(
  services: StorageServices,
  db: Db,
  expired: readonly { id: string; blob_key: string; r2_upload_id: string | null }[],
): Promise<void> {
  const { clock, objects, log } = services;
  const multipartUploads = expired.filter(({ r2_upload_id }) => r2_upload_id !== null);
  await Promise.all(
    multipartUploads.map(({ blob_key, r2_upload_id }) =>
      objects
        .resumeMultipartUpload(blob_key, r2_upload_id ?? "")
        .abort()
        // A completed or missing upload has nothing to abort. R2 aborts other uploads itself after seven days.
        .catch(() => log.warn("the parts of an upload were not removed")),
    ),
  );
  await db.batch(release({ ids: expired.map(({ id }) => id), now: clock.now(), removeBlobs: true }));
}

/** Returns the 413 error with the requested and the remaining bytes. */
function quotaProblem(bytes: Bytes, facts: Facts): Problem {
  const company = facts.used_bytes + facts.reserved_bytes + bytes.companyBytes;
  const isCompany = bytes.companyBytes > 0 && facts.max_bytes !== null && company > facts.max_bytes;
  const [scope, max, used, reserved, requested] = isCompany
    ? (["company", facts.max_bytes ?? 0, facts.used_bytes, facts.reserved_bytes, bytes.companyBytes] as const)
    : (["user", facts.user_cap, facts.user_used_bytes, facts.user_reserved_bytes, bytes.userBytes] as const);
  const name = isCompany ? "Company" : "User";
  return new Problem(isCompany ? "company_quota_exceeded" : "user_quota_exceeded", {
    extra: {
      message: `${name} quota exceeded (${used + reserved + requested} > ${max} bytes).`,
      quota: {
        scope,
        max_bytes: max,
        used_bytes: used,
        requested_bytes: requested,
        remaining_bytes: Math.max(0, max - used - reserved),
      },
    },
  });
}

/** Inserts the event of a quota rejection, at most once an hour for each company and each user. */
async function recordQuotaRejection(
  services: StorageServices,
  requested: Omit<Reservation, "blobKey">,
  facts: Facts,
): Promise<void> {
  const { clock, dbOf, webhooks } = services;
  const { companyId, userId } = requested;
  const now = clock.now();
  const company = facts.used_bytes + facts.reserved_bytes + requested.companyBytes;
  const isCompany = requested.companyBytes > 0 && facts.max_bytes !== null && company > facts.max_bytes;
  const last = (isCompany ? facts.refused_at : facts.user_refused_at) ?? 0;
  if (now - last < HOUR_MS) return;
  const id = uuid();
  await batchWithEvents(
    webhooks,
    dbOf(companyId),
    isCompany
      ? {
          event: addCompanyRejectionEvent({ id, companyId, now }),
          recorded: recordCompanyRejection({ companyId, now }),
        }
      : {
          event: addUserRejectionEvent({ id, companyId, userId, now }),
          recorded: recordUserRejection({ companyId, userId, now }),
        },
    [{ id, company_id: companyId }],
  );
}

/** Extends a reservation while its upload streams. */
export const extendReservationOf = (
  services: StorageServices,
  { companyId, id }: Pick<Reservation, "companyId" | "id">,
): Promise<unknown> =>
  services.dbOf(companyId).run(extendReservation({ id, expiresAt: services.clock.now() + RESERVATION_MS }));

/** A committed version of an object; `old` is the version that it replaces. */
export type Settled = {
  change: string;
  companyId: number;
  userId: number;
  bucketId: string;
  name: string;
  size: number;
  old: { size: number; owner_id: number } | null;
};

/**
 * Returns the statements that update the quotas in a commit, the events of crossed thresholds, and the keys of these events.
 * The statements run after the one that writes the object. `end` runs last.
 */
export function settlementStatements({ change, companyId, userId, bucketId, name, size, old }: Settled, now: number) {
  const objectChange = { bucketId, name, change, companyId };
  const bytes = size - (old?.size ?? 0);
  const isSameOwner = old === null || old.owner_id === userId;
  const userBytes = isSameOwner ? bytes : size;
  const thresholds = () => [80, 100].map((threshold) => ({ id: uuid(), threshold }));
  const [companyThresholds, userThresholds] = [bytes > 0 ? thresholds() : [], userBytes > 0 ? thresholds() : []];
  const companyEvents = { ...objectChange, events: companyThresholds, bytes, now };
  const userEvents = { ...objectChange, events: userThresholds, bytes: userBytes, now, userId };
  return {
    statements: {
      companyThreshold: bytes > 0 ? addCompanyThresholdEvents(companyEvents) : null,
      userThreshold: userBytes > 0 ? addUserThresholdEvents(userEvents) : null,
      company: chargeCompany({ ...objectChange, bytes, objects: old === null ? 1 : 0, now }),
      user: chargeUser({ ...objectChange, userId, bytes: userBytes }),
      formerOwner: isSameOwner ? null : creditFormerOwner({ ...objectChange, userId: old.owner_id, bytes: old.size }),
    },
    keys: [...companyThresholds, ...userThresholds].map(({ id }) => ({ id, company_id: companyId })),
    end: endReservation({ bucketId, name, change }),
  };
}

/** Releases the reservation of a failed upload at once. The sweep removes its blob later. */
export async function releaseNow(services: StorageServices, companyId: number, id: string): Promise<void> {
  await services.dbOf(companyId).batch(release({ ids: [id], now: services.clock.now(), removeBlobs: true }));
}

/**
 * Returns the statements for a change that is reserved and committed in one batch. `before` reserves the bytes. `after`
 * releases the reservation if the change was not committed. A repeat of the batch reserves and charges nothing for a change
 * that is already done.
 */
export function reserveInBatch(requested: Reservation, mark: ChangeKey, now: number) {
  const { companyId, userId, id } = requested;
  return {
    before: {
      quotaUser: addUserQuota({ companyId, userId }),
      reservation: reserveOnce(requested, mark),
      facts: findQuotas({ companyId, userId, reservation: id }),
    },
    after: release({ ids: [id], now, removeBlobs: false }),
  };
}

/** Throws the 413 error of reserveBytes, from the facts that a batch with reserveInBatch returned. */
export async function rejectByFacts(
  services: StorageServices,
  requested: Reservation,
  facts: Facts | null,
): Promise<never> {
  if (facts === null) throw new Problem("service_unavailable");
  await recordQuotaRejection(services, requested, facts);
  throw quotaProblem(requested, facts);
}
