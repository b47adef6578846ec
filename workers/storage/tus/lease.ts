import type { Member } from "../../kit/auth/member";
import { randomHex } from "../../kit/crypto/random";
import { SECOND_MS } from "../../kit/time";
import { Problem } from "../problem";
import { findReservedBytes } from "../quotas/reservation";
import type { StorageServices } from "../services";
import { findReplaced, findUpload, resultOf, type Upload } from "../uploads/upload";
import { lockUpload, renewLock } from "./tus.store";

/**
 * How long a stalled PATCH blocks other PATCH requests for the same upload, ms. A PATCH that receives bytes renews its lease.
 */
const LEASE_MS = 15 * SECOND_MS;

/**
 * The first and the maximum delay between the reads of a HEAD request while another request still stores bytes. Most clients
 * request the offset right after they lost the connection.
 */
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = SECOND_MS;

/** The exclusive right of one PATCH to append to an upload, until `until` (ms since the epoch). */
export type Lease = { companyId: number; id: string; token: string; until: number };

/**
 * Returns an upload of the user and acquires the lease to append at `offset`, in one round trip. A completed upload gets no
 * lease. Throws 404 `upload_not_found`, 423 `upload_locked` while another PATCH holds the lease, and 409
 * `upload_offset_mismatch`.
 */
export async function acquireLease(services: StorageServices, { companyId, user }: Member, id: string, offset: number) {
  const { dbOf, clock } = services;
  const { userId } = user;
  const now = clock.now();
  const lease: Lease = { companyId, id, token: randomHex(16), until: now + LEASE_MS };
  const results = await dbOf(companyId).batch({
    locked: lockUpload({ ...lease, userId, offset, now }),
    upload: findUpload({ id, protocol: "tus", companyId, userId, now }),
    old: findReplaced({ id }),
    reserved: findReservedBytes({ id }),
  });
  const upload = results.upload.first;
  if (upload === null) throw new Problem("upload_not_found");
  const finished = resultOf(upload);
  if (finished === null && upload.lock_token !== lease.token && (upload.locked_until ?? 0) > now) {
    throw new Problem("upload_locked");
  }
  if (upload.received !== offset) throw new Problem("upload_offset_mismatch");
  return {
    upload,
    lease,
    finished,
    old: results.old.first,
    reserved: results.reserved.first ?? { companyBytes: 0, userBytes: 0 },
  };
}

/** Renews a lease when half of it has passed. Throws 423 `upload_locked` if it was lost. */
export async function renewLease({ dbOf, clock }: StorageServices, lease: Lease): Promise<void> {
  const now = clock.now();
  if (now < lease.until - LEASE_MS / 2) return;
  const until = now + LEASE_MS;
  const { changes } = await dbOf(lease.companyId).run(renewLock({ id: lease.id, token: lease.token, until }));
  if (changes === 0) throw new Problem("upload_locked");
  lease.until = until;
}

/**
 * Returns an upload of the user as soon as no PATCH holds its lease, at the latest after the duration of a lease. Throws 404
 * `upload_not_found`.
 */
export async function awaitUpload(services: StorageServices, member: Member, id: string): Promise<Upload> {
  const { clock } = services;
  const until = clock.now() + LEASE_MS;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, MAX_WAIT_MS)) {
    const upload = await readResumable(services, member, id);
    const now = clock.now();
    if ((upload.locked_until ?? 0) <= now || now + wait > until) return upload;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** Returns an upload of the user. Throws 404 `upload_not_found`. */
export async function readResumable(services: StorageServices, member: Member, id: string): Promise<Upload> {
  const { companyId, user } = member;
  const query = { id, protocol: "tus" as const, companyId, userId: user.userId, now: services.clock.now() };
  const upload = await member.firstRead(services.dbOf(companyId).first(findUpload(query)));
  if (upload === null) throw new Problem("upload_not_found");
  return upload;
}
