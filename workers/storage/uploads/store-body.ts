import type { ObjectRow } from "../../../db/storage/schema";
import { piecesOf } from "../../kit/files/body";
import type { Checksums } from "../../kit/files/checksums";
import type { Incoming } from "../../kit/files/form-body";
import { putBytes, putPieces, putStream, type StoredBody } from "../../kit/files/r2-body";
import { MINUTE_MS } from "../../kit/time";
import {
  bytesFor,
  growReservation,
  keepReservation,
  nameParts,
  RESERVATION_MS,
  releaseNow,
  reserveBytes,
} from "../quotas/reservation";
import type { StorageServices } from "../services";

const KEEP_EVERY_MS = 5 * MINUTE_MS;

/** A body on its way: the reservation and the change have its id; `old` is what it replaces. */
export type Upload = {
  id: string;
  blobKey: string;
  companyId: number;
  userId: number;
  old: ObjectRow | null;
  checksums: Checksums;
};

/** Reserves the bytes of a body whose length is declared, then streams it to R2. 413, 400, 502; a failure releases the reservation. */
export async function storeWhole(
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
 * Stores a body of unknown length: what fits one piece at once, more in parts, each reserved before it is stored. `mayBe` throws
 * for a size that is refused; `told` is what the request says of its length.
 */
export async function storePieces(
  services: StorageServices,
  incoming: Incoming,
  upload: Upload & { mayBe: (size: number) => void; told: number | null },
): Promise<StoredBody> {
  const { id, companyId, userId, old, mayBe, told, blobKey, checksums } = upload;
  const pieces = piecesOf(incoming.chunks, told ?? undefined);
  const first = (await pieces.next()).value as { bytes: Uint8Array; isLast: boolean };
  mayBe(first.bytes.length);
  let held = bytesFor(first.bytes.length, userId, old);
  // What is known to come, a form's own few bytes in it.
  const all = bytesFor(first.isLast ? first.bytes.length : Math.max(first.bytes.length, told ?? 0), userId, old);
  await reserveFor(services, upload, held, all);
  const grow = async (size: number, r2UploadId: string) => {
    mayBe(size);
    const wanted = bytesFor(size, userId, old);
    const expiresAt = services.clock.now() + RESERVATION_MS;
    await growReservation(
      services,
      { id, companyId, userId, r2UploadId, ...beyond(wanted, held), expiresAt },
      held,
      beyond(
        {
          companyBytes: Math.max(wanted.companyBytes, all.companyBytes),
          userBytes: Math.max(wanted.userBytes, all.userBytes),
        },
        held,
      ),
    );
    held = wanted;
  };
  return whileReserved(services, upload, () =>
    first.isLast
      ? putBytes(services, blobKey, first.bytes, checksums)
      : putPieces(services, blobKey, first.bytes, pieces, {
          checksums,
          onOpened: async (r2UploadId) => {
            await services.dbOf(companyId).run(nameParts({ id, r2UploadId }));
          },
          beforePart: grow,
        }),
  );
}

type Bytes = ReturnType<typeof bytesFor>;

const beyond = (wanted: Bytes, held: Bytes): Bytes => ({
  companyBytes: wanted.companyBytes - held.companyBytes,
  userBytes: wanted.userBytes - held.userBytes,
});

/** Extends the reservation while a body is stored, and releases it when that fails. */
async function whileReserved<T>(services: StorageServices, upload: Upload, store: () => Promise<T>): Promise<T> {
  const keeper = setInterval(() => services.waitUntil(keepReservation(services, upload)), KEEP_EVERY_MS);
  try {
    return await store();
  } catch (error) {
    await releaseNow(services, upload.companyId, upload.id);
    throw error;
  } finally {
    clearInterval(keeper);
  }
}

async function reserveFor(
  services: StorageServices,
  { id, companyId, userId, blobKey }: Upload,
  bytes: ReturnType<typeof bytesFor>,
  asked = bytes,
): Promise<void> {
  const expiresAt = services.clock.now() + RESERVATION_MS;
  await reserveBytes(services, { id, companyId, userId, ...bytes, blobKey, r2UploadId: null, expiresAt }, { asked });
}
