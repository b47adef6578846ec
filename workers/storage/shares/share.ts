import type { ObjectRow, ShareLinkRow } from "../../../db/storage/schema";
import { isActiveMember } from "../../kit/auth/memberships";
import { sha256Hex } from "../../kit/crypto/hash";
import { randomToken } from "../../kit/crypto/random";
import { uuid } from "../../kit/ids";
import { invalid } from "../../kit/problem";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { addShare, countDownload, findShare, findShareByToken, listShares, revokeShare } from "./share.store";

export { findShareOfCompany } from "./share.store";

/** Maximum number of active links of an object, and maximum number of links in a list. */
const MAX_ACTIVE = 100;
const MAX_LISTED = 200;

/** The limits of a new link (at least one is required) and its notes. */
export type ShareOptions = { expiresAt: number | null; maxDownloads: number | null; notes: string | null };

/**
 * Reads the limits and notes of a link from a request body. Throws 400 `share_limit_required`, or `expires_at: [out_of_range]`
 * for a past time.
 */
export function readShareOptions(
  { clock }: StorageServices,
  body: {
    expires_at?: string | null | undefined;
    expiresAt?: string | null | undefined;
    max_downloads?: number | null | undefined;
    maxDownloads?: number | null | undefined;
    notes?: string | null | undefined;
  },
): ShareOptions {
  const end = body.expires_at ?? body.expiresAt ?? null;
  const maxDownloads = body.max_downloads ?? body.maxDownloads ?? null;
  if (end === null && maxDownloads === null) throw new Problem("share_limit_required");
  const expiresAt = end === null ? null : Date.parse(end);
  if (expiresAt !== null && expiresAt <= clock.now()) throw invalid({ expires_at: ["out_of_range"] });
  return { expiresAt, maxDownloads, notes: body.notes || null };
}

/** Creates a link and returns it with its token, which is stored only as a hash. Throws 409 `limit_reached`. */
export async function shareObject(
  { dbOf, clock }: StorageServices,
  object: Pick<ObjectRow, "id" | "company_id">,
  userId: number,
  options: ShareOptions,
): Promise<{ link: ShareLinkRow; token: string }> {
  const [id, token] = [uuid(), randomToken()];
  const tokenHash = await sha256Hex(token);
  const shareFields = { companyId: object.company_id, objectId: object.id, userId };
  const { created } = await dbOf(object.company_id).batch({
    added: addShare({ id, tokenHash, ...shareFields, ...options, now: clock.now(), limit: MAX_ACTIVE }),
    created: findShare({ id }),
  });
  if (created.first === null) throw new Problem("limit_reached");
  return { link: created.first, token };
}

/** Returns at most 200 links of an object: active ones first, then the newest. */
export const sharesOf = (
  services: StorageServices,
  object: Pick<ObjectRow, "id" | "company_id">,
): Promise<ShareLinkRow[]> =>
  services
    .dbOf(object.company_id)
    .all(listShares({ objectId: object.id, now: services.clock.now(), limit: MAX_LISTED }));

/** The columns that decide whether a link is active. */
export type Limits = Pick<ShareLinkRow, "expires_at" | "max_downloads" | "download_count" | "revoked_at">;

/** Returns whether a link is active at `now` (ms since the epoch). */
export const isActive = (link: Limits, now: number): boolean =>
  link.revoked_at === null &&
  (link.expires_at === null || link.expires_at > now) &&
  (link.max_downloads === null || link.download_count < link.max_downloads);

/**
 * Returns the object of a link, and `count`, which counts a download and throws 410 `share_inactive` if none is left.
 * `count` must be called before the first byte is sent. Throws 404 `share_not_found` for an unknown link or a deleted
 * object. Throws 410 `share_inactive` for an inactive link, or when its creator has left the company. Throws 503 if
 * identity does not respond.
 */
export async function openShare(
  services: StorageServices,
  token: string,
): Promise<{ object: ObjectRow; count: () => Promise<void> }> {
  const { platformDb, dbOf, clock } = services;
  const share = await platformDb.first(findShareByToken({ tokenHash: await sha256Hex(token) }));
  if (share === null) throw new Problem("share_not_found");
  const {
    share_id: id,
    created_by_id: userId,
    expires_at,
    max_downloads,
    download_count,
    revoked_at,
    ...object
  } = share;
  const limits = { expires_at, max_downloads, download_count, revoked_at };
  if (!isActive(limits, clock.now())) throw new Problem("share_inactive");
  if (!(await isActiveMember(services, { companyId: object.company_id, userId }))) throw new Problem("share_inactive");
  return {
    object,
    count: async () => {
      const { changes } = await dbOf(object.company_id).run(countDownload({ id, now: clock.now() }));
      if (changes === 0) throw new Problem("share_inactive");
    },
  };
}

/** Revokes a link at once and returns it. */
export async function revoke<L extends ShareLinkRow>({ dbOf, clock }: StorageServices, link: L): Promise<L> {
  const revocation = await dbOf(link.company_id).first(revokeShare({ id: link.id, now: clock.now() }));
  if (revocation === null) throw new Problem("share_not_found");
  return { ...link, ...revocation };
}
