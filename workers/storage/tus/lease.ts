import { randomHex } from "../../kit/crypto/random";
import { SECOND_MS } from "../../kit/time";
import type { Member } from "../access/member";
import { Problem } from "../problem";
import { findHeld } from "../quotas/reservation";
import type { StorageServices } from "../services";
import { findReplaced, findUpload, resultOf, type Upload } from "../uploads/upload";
import { lockUpload, renewLock } from "./tus.store";

/** How long a PATCH that says nothing more keeps others away; one whose bytes come puts that off. */
const LEASE_MS = 15 * SECOND_MS;

/** Who asks where an upload is has mostly lost a connection, whose bytes are still being stored: that is waited for. */
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = SECOND_MS;

/** The right to add to an upload: of one PATCH, until `until`. */
export type Lease = { companyId: number; id: string; token: string; until: number };

/**
 * The upload of a person with the lease to add to it at `offset`, in one round trip; without a lease where it is completed. 404
 * `upload_not_found`, 423 `upload_locked` while another PATCH adds to it, 409 `upload_offset_mismatch`.
 */
export async function takeLease(services: StorageServices, { companyId, person }: Member, id: string, offset: number) {
  const { dbOf, clock } = services;
  const { userId } = person;
  const now = clock.now();
  const lease: Lease = { companyId, id, token: randomHex(16), until: now + LEASE_MS };
  const found = await dbOf(companyId).batch({
    locked: lockUpload({ ...lease, userId, offset, now }),
    upload: findUpload({ id, protocol: "tus", companyId, userId, now }),
    old: findReplaced({ id }),
    held: findHeld({ id }),
  });
  const upload = found.upload.first;
  if (upload === null) throw new Problem("upload_not_found");
  const finished = resultOf(upload);
  if (finished === null && upload.lock_token !== lease.token && (upload.locked_until ?? 0) > now) {
    throw new Problem("upload_locked");
  }
  if (upload.received !== offset) throw new Problem("upload_offset_mismatch");
  return { upload, lease, finished, old: found.old.first, held: found.held.first ?? { companyBytes: 0, userBytes: 0 } };
}

/** Puts the end of a lease off when half of it is over; 423 `upload_locked` when it is lost. */
export async function keepLease({ dbOf, clock }: StorageServices, lease: Lease): Promise<void> {
  const now = clock.now();
  if (now < lease.until - LEASE_MS / 2) return;
  const until = now + LEASE_MS;
  const { changes } = await dbOf(lease.companyId).run(renewLock({ id: lease.id, token: lease.token, until }));
  if (changes === 0) throw new Problem("upload_locked");
  lease.until = until;
}

/** An upload of a person once nobody adds to it, or at the latest when a lease of now is over; 404 `upload_not_found`. */
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

/** An upload of the person; 404 `upload_not_found`. */
export async function readResumable(services: StorageServices, member: Member, id: string): Promise<Upload> {
  const { companyId, person } = member;
  const asked = { id, protocol: "tus" as const, companyId, userId: person.userId, now: services.clock.now() };
  const upload = await member.firstRead(services.dbOf(companyId).first(findUpload(asked)));
  if (upload === null) throw new Problem("upload_not_found");
  return upload;
}
