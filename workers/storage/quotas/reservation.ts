import type { Db } from "../../kit/db/db";
import { uuid } from "../../kit/ids";
import { HOUR_MS, MINUTE_MS } from "../../kit/time";
import { batchWithEvents } from "../../kit/webhooks/event-store/new-event";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import {
  addUserQuota,
  type ChangeMark,
  chargeCompany,
  chargeUser,
  creditFormerOwner,
  endReservation,
  extendReservation,
  findQuotas,
  forgetUnreserved,
  grow,
  listExpiredOfCompany,
  type Reservation,
  reclaimBlob,
  release,
  reserve,
  reserveOnce,
} from "./reservation.store";
import {
  noteCompanyRefusal,
  noteUserRefusal,
  tellCompanyRefusal,
  tellCompanyThreshold,
  tellUserRefusal,
  tellUserThreshold,
} from "./threshold.store";

export type { Reservation } from "./reservation.store";
export { findHeld, findQuotas, listExpired, nameParts, release } from "./reservation.store";

/** How long a reservation lives: that of a request, which is put off while it streams, and that of an upload in parts. */
export const RESERVATION_MS = 15 * MINUTE_MS;
export const UPLOAD_MS = 24 * HOUR_MS;

/** What a new version costs: the company what it grows by, its owner the same or, when it is another, all of it. */
export function bytesFor(size: number, userId: number, old: { size: number; owner_id: number } | null) {
  const growth = Math.max(0, size - (old?.size ?? 0));
  return { companyBytes: growth, userBytes: old !== null && old.owner_id !== userId ? size : growth };
}

type Bytes = ReturnType<typeof bytesFor>;

/** Reads of a hundred expired reservations each that a refusal makes at most. */
const RELEASE_ROUNDS = 50;

/** What decided about a reservation. */
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
 * Reserves bytes before any is stored, in one round trip; 413 `company_quota_exceeded`, then `user_quota_exceeded`, after
 * reservations that have expired were released and it was tried once more. `instead`: of the same id, whose blob is stored; where
 * it cannot be had any more, the blob is the sweeper's. `asked`: what a refusal names, where more is to come than is wanted now.
 */
export async function reserveBytes(
  services: StorageServices,
  wanted: Reservation,
  { instead = false, asked = wanted }: { instead?: boolean; asked?: Bytes } = {},
): Promise<void> {
  const { dbOf, clock } = services;
  const { id, companyId, userId, blobKey } = wanted;
  const attempt = async (): Promise<Facts | null> => {
    const former = instead ? release({ ids: [id], now: clock.now(), blobs: false }) : {};
    const { facts } = await dbOf(companyId).batch({
      ...former,
      blob: instead ? reclaimBlob({ key: blobKey }) : null,
      user: addUserQuota({ companyId, userId }),
      reservation: reserve(wanted),
      lost: instead ? forgetUnreserved({ id, key: blobKey, companyId, now: clock.now() }) : null,
      facts: findQuotas({ companyId, userId, reservation: id }),
    });
    return facts.first;
  };
  await decide(services, wanted, asked, attempt);
}

/** Adds to a reservation, as reserveBytes does; `held` is what it has so far, else 409 `concurrent_modification`. */
export async function growReservation(
  services: StorageServices,
  more: Omit<Reservation, "blobKey">,
  held: Bytes,
  asked: Bytes = more,
): Promise<void> {
  const { companyId, userId, id } = more;
  const was = held.companyBytes + held.userBytes;
  await decide(services, more, asked, async () => {
    const { grown, facts } = await services.dbOf(companyId).batch({
      grown: grow({ ...more, was }),
      facts: findQuotas({ companyId, userId, reservation: id }),
    });
    const row = facts.first;
    if (row === null || grown.changes > 0) return row;
    // One that is gone is no matter of quotas; one that has grown already is that of a repeated batch.
    if (row.reserved_by === null) throw new Problem("storage_error");
    if (row.held_bytes === was + more.companyBytes + more.userBytes) return row;
    if (row.held_bytes !== was) throw new Problem("concurrent_modification");
    return { ...row, reserved_by: null };
  });
}

async function decide(
  services: StorageServices,
  wanted: Omit<Reservation, "blobKey">,
  asked: Bytes,
  attempt: () => Promise<Facts | null>,
): Promise<void> {
  const first = await attempt();
  if (first?.reserved_by) return;
  const facts = (await releaseExpired(services, wanted.companyId)) ? await attempt() : first;
  if (facts?.reserved_by) return;
  if (facts === null) throw new Problem("service_unavailable");
  await noteRefusal(services, wanted, facts);
  throw quotaProblem(asked, facts);
}

/** Releases what expired uploads of a company hold; whether there was any. */
export async function releaseExpired(services: StorageServices, companyId: number): Promise<boolean> {
  const db = services.dbOf(companyId);
  const now = services.clock.now();
  for (let round = 0; round < RELEASE_ROUNDS; round++) {
    const expired = await db.all(listExpiredOfCompany({ companyId, now }));
    if (expired.length === 0) return round > 0;
    await abandon(services, db, expired);
  }
  return true;
}

/** Ends reservations of one database whose uploads are lost; the sweeper removes what they stored. */
export async function abandon(
  services: StorageServices,
  db: Db,
  lost: readonly { id: string; blob_key: string; r2_upload_id: string | null }[],
): Promise<void> {
  const { clock, objects, log } = services;
  const parts = lost.filter(({ r2_upload_id }) => r2_upload_id !== null);
  await Promise.all(
    parts.map(({ blob_key, r2_upload_id }) =>
      objects
        .resumeMultipartUpload(blob_key, r2_upload_id ?? "")
        .abort()
        // One that is completed or gone has nothing left to abort; R2 itself ends others after seven days.
        .catch(() => log.warn("parts of an upload not removed")),
    ),
  );
  await db.batch(release({ ids: lost.map(({ id }) => id), now: clock.now(), blobs: true }));
}

/** 413 with what was asked for and what is left. */
function quotaProblem(wanted: Bytes, facts: Facts): Problem {
  const company = facts.used_bytes + facts.reserved_bytes + wanted.companyBytes;
  const isCompany = wanted.companyBytes > 0 && facts.max_bytes !== null && company > facts.max_bytes;
  const [scope, max, used, reserved, requested] = isCompany
    ? (["company", facts.max_bytes ?? 0, facts.used_bytes, facts.reserved_bytes, wanted.companyBytes] as const)
    : (["user", facts.user_cap, facts.user_used_bytes, facts.user_reserved_bytes, wanted.userBytes] as const);
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

/** Tells of the first refusal in an hour. */
async function noteRefusal(
  services: StorageServices,
  wanted: Omit<Reservation, "blobKey">,
  facts: Facts,
): Promise<void> {
  const { clock, dbOf, webhooks } = services;
  const { companyId, userId } = wanted;
  const now = clock.now();
  const company = facts.used_bytes + facts.reserved_bytes + wanted.companyBytes;
  const isCompany = wanted.companyBytes > 0 && facts.max_bytes !== null && company > facts.max_bytes;
  const last = (isCompany ? facts.refused_at : facts.user_refused_at) ?? 0;
  if (now - last < HOUR_MS) return;
  const id = uuid();
  await batchWithEvents(
    webhooks,
    dbOf(companyId),
    isCompany
      ? { told: tellCompanyRefusal({ id, companyId, now }), noted: noteCompanyRefusal({ companyId, now }) }
      : { told: tellUserRefusal({ id, companyId, userId, now }), noted: noteUserRefusal({ companyId, userId, now }) },
    [{ id, company_id: companyId }],
  );
}

/** Keeps a reservation alive while its upload streams. */
export const keepReservation = (
  services: StorageServices,
  { companyId, id }: Pick<Reservation, "companyId" | "id">,
): Promise<unknown> =>
  services.dbOf(companyId).run(extendReservation({ id, expiresAt: services.clock.now() + RESERVATION_MS }));

/** A new version of an object, as a commit settles it; `old` is the version that it replaces. */
export type Settled = {
  change: string;
  companyId: number;
  userId: number;
  bucketId: string;
  name: string;
  size: number;
  old: { size: number; owner_id: number } | null;
};

/** What a commit charges and credits, with the events of crossed thresholds and their keys; behind the object's own statement. */
export function settlement({ change, companyId, userId, bucketId, name, size, old }: Settled, now: number) {
  const at = { bucketId, name, change, companyId };
  const bytes = size - (old?.size ?? 0);
  const isOwn = old === null || old.owner_id === userId;
  const userBytes = isOwn ? bytes : size;
  const thresholds = () => [80, 100].map((threshold) => ({ id: uuid(), threshold }));
  const [ofCompany, ofUser] = [bytes > 0 ? thresholds() : [], userBytes > 0 ? thresholds() : []];
  const companyEvents = { ...at, events: ofCompany, bytes, now };
  const userEvents = { ...at, events: ofUser, bytes: userBytes, now, userId };
  return {
    statements: {
      companyThreshold: bytes > 0 ? tellCompanyThreshold(companyEvents) : null,
      userThreshold: userBytes > 0 ? tellUserThreshold(userEvents) : null,
      company: chargeCompany({ ...at, bytes, objects: old === null ? 1 : 0 }),
      user: chargeUser({ ...at, userId, bytes: userBytes }),
      formerOwner: isOwn ? null : creditFormerOwner({ ...at, userId: old.owner_id, bytes: old.size }),
    },
    keys: [...ofCompany, ...ofUser].map(({ id }) => ({ id, company_id: companyId })),
    end: endReservation({ bucketId, name, change }),
  };
}

/** Ends a reservation of an upload that failed: its bytes are free at once, what it stored is removed later. */
export async function releaseNow(services: StorageServices, companyId: number, id: string): Promise<void> {
  await services.dbOf(companyId).batch(release({ ids: [id], now: services.clock.now(), blobs: true }));
}

/**
 * The statements that reserve for a change which is committed in the same batch, and that free what it did not commit. A repeat
 * of the batch reserves nothing for a change that is done, so that it charges nothing either.
 */
export function reserveInBatch(wanted: Reservation, mark: ChangeMark, now: number) {
  const { companyId, userId, id } = wanted;
  return {
    before: {
      quotaUser: addUserQuota({ companyId, userId }),
      reservation: reserveOnce(wanted, mark),
      facts: findQuotas({ companyId, userId, reservation: id }),
    },
    after: release({ ids: [id], now, blobs: false }),
  };
}

/** Refuses as reserveBytes does, by the facts of a batch that held reserveInBatch. */
export async function refuseByFacts(
  services: StorageServices,
  wanted: Reservation,
  facts: Facts | null,
): Promise<never> {
  if (facts === null) throw new Problem("service_unavailable");
  await noteRefusal(services, wanted, facts);
  throw quotaProblem(wanted, facts);
}
