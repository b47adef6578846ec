import type { ObjectRow } from "../../../db/storage/schema";
import { partsOf } from "../../kit/files/body";
import type { Checksums } from "../../kit/files/checksums";
import type { Incoming } from "../../kit/files/form-body";
import { putBytes, putParts, putStream, type StoredBody } from "../../kit/files/r2-body";
import { MINUTE_MS } from "../../kit/time";
import {
  bytesFor,
  extendReservationOf,
  growReservation,
  RESERVATION_MS,
  releaseNow,
  reserveBytes,
  setR2UploadId,
} from "../quotas/reservation";
import type { StorageServices } from "../services";

const HEARTBEAT_MS = 5 * MINUTE_MS;

/** A body that is being stored. Its reservation and its change have the same `id`. `old` is the version that it replaces. */
export type Upload = {
  id: string;
  blobKey: string;
  companyId: number;
  userId: number;
  old: ObjectRow | null;
  checksums: Checksums;
};

/**
 * Reserves the bytes of a body with a declared length, then streams it to R2. Throws 413, 400 and 502. Releases the
 * reservation on failure.
 */
export async function storeStream(
  services: StorageServices,
  { body }: Request,
  upload: Upload & { size: number },
): Promise<StoredBody> {
  const { size, blobKey, checksums } = upload;
  await reserveFor(services, upload, bytesFor(size, upload.userId, upload.old));
  return whileReserved(services, upload, () =>
    size === 0 || body === null
      ? putBytes(services, blobKey, new Uint8Array(), checksums)
      : putStream(services, blobKey, body, { size, checksums }),
  );
}

/**
 * Stores a body of unknown length. A body that fits in one part is stored directly. A longer body becomes an R2 multipart
 * upload; the bytes of each part are reserved before the part is stored. `checkUploadSize` throws for a size above the limit.
 * `declaredLength` is the length of the whole request body.
 */
export async function storeParts(
  services: StorageServices,
  incoming: Incoming,
  upload: Upload & { checkUploadSize: (size: number) => void; declaredLength: number | null },
): Promise<StoredBody> {
  const { id, companyId, userId, old, checkUploadSize, declaredLength, blobKey, checksums } = upload;
  const parts = partsOf(incoming.chunks, declaredLength ?? undefined);
  const first = (await parts.next()).value as { bytes: Uint8Array; isLast: boolean };
  checkUploadSize(first.bytes.length);
  let reserved = bytesFor(first.bytes.length, userId, old);
  // An upper bound: the declared length of a form upload includes the form's own fields and boundaries.
  const upperBound = bytesFor(
    first.isLast ? first.bytes.length : Math.max(first.bytes.length, declaredLength ?? 0),
    userId,
    old,
  );
  await reserveFor(services, upload, reserved, upperBound);
  const grow = async (size: number, r2UploadId: string) => {
    checkUploadSize(size);
    const total = bytesFor(size, userId, old);
    const expiresAt = services.clock.now() + RESERVATION_MS;
    await growReservation(
      services,
      { id, companyId, userId, r2UploadId, ...additionalBytes(total, reserved), expiresAt },
      reserved,
      additionalBytes(
        {
          companyBytes: Math.max(total.companyBytes, upperBound.companyBytes),
          userBytes: Math.max(total.userBytes, upperBound.userBytes),
        },
        reserved,
      ),
    );
    reserved = total;
  };
  return whileReserved(services, upload, () =>
    first.isLast
      ? putBytes(services, blobKey, first.bytes, checksums)
      : putParts(services, blobKey, first.bytes, parts, {
          checksums,
          onOpened: async (r2UploadId) => {
            await services.dbOf(companyId).run(setR2UploadId({ id, r2UploadId }));
          },
          beforePart: grow,
        }),
  );
}

type Bytes = ReturnType<typeof bytesFor>;

const additionalBytes = (total: Bytes, reserved: Bytes): Bytes => ({
  companyBytes: total.companyBytes - reserved.companyBytes,
  userBytes: total.userBytes - reserved.userBytes,
});

/** Extends the reservation while a body is stored, and releases it if storing fails. */
async function whileReserved<T>(services: StorageServices, upload: Upload, store: () => Promise<T>): Promise<T> {
  const heartbeat = setInterval(() => services.waitUntil(extendReservationOf(services, upload)), HEARTBEAT_MS);
  try {
    return await store();
  } catch (error) {
    await releaseNow(services, upload.companyId, upload.id);
    throw error;
  } finally {
    clearInterval(heartbeat);
  }
}

async function reserveFor(
  services: StorageServices,
  { id, companyId, userId, blobKey }: Upload,
  bytes: ReturnType<typeof bytesFor>,
  reportedBytes = bytes,
): Promise<void> {
  const expiresAt = services.clock.now() + RESERVATION_MS;
  await reserveBytes(
    services,
    { id, companyId, userId, ...bytes, blobKey, r2UploadId: null, expiresAt },
    { reportedBytes },
  );
}
