import type { Manifest } from "../../../schemas/hosting/manifest";
import { chunk } from "../../kit/outbox/queue-message";
import { DAY_MS, SECOND_MS } from "../../kit/time";
import { blobKey, manifestKey, variantKey } from "../files/keys";
import type { HostingServices } from "../services";
import { deleteBlobs, forgetBlobs, listBlobs, listKept, markBlobs } from "./blobs.store";

/** How long an unused blob is kept after a deployment named it. A draft that is older names nothing. */
export const UNUSED_MS = DAY_MS;
/** Maximum number of blobs that one step checks. */
export const BLOBS_PER_STEP = 2000;
/** Maximum number of deployments in one statement. */
const DEPLOYMENTS_PER_PAGE = 500;
/** R2 deletes at most 1,000 keys in one call, and a blob has three: its bytes and two variants. */
const BLOBS_PER_CALL = 333;
/**
 * A step deletes no bytes later than this after it has marked their blob. An upload of the same file waits twice as long, so a
 * late deletion cannot remove its bytes.
 */
const DELETE_WITHIN_MS = 60 * SECOND_MS;

/** `after`: the last hash of the page, or null at the end. `isRepeated`: some blobs may be unused later. */
type Result = { after: string | null; isRepeated: boolean };

/**
 * Removes the unused blobs of a page: those that no kept manifest names and no deployment named for 24 hours. May end at any point and
 * be repeated: the mark, the bytes and the row of a blob are removed in this order.
 */
export async function removeBlobs(services: HostingServices, companyId: number, after: string): Promise<Result> {
  const { clock, files } = services;
  const db = services.dbOf(companyId);
  const cutoff = clock.now() - UNUSED_MS;
  const page = await db.all(listBlobs({ companyId, after, cutoff, limit: BLOBS_PER_STEP }));
  const unused = new Set(page.flatMap(({ sha256, is_old }) => (is_old ? sha256 : [])));
  const next = page.length < BLOBS_PER_STEP ? null : (page.at(-1)?.sha256 ?? null);
  const isRecent = unused.size < page.length;
  await dropNamed(services, companyId, unused, cutoff);
  if (unused.size === 0) return { after: next, isRepeated: isRecent };
  const now = clock.now();
  const marked = await db.all(markBlobs({ companyId, hashes: [...unused], cutoff, now }));
  const removed: string[] = [];
  for (const part of chunk(marked, BLOBS_PER_CALL)) {
    if (clock.now() >= now + DELETE_WITHIN_MS) break;
    await files.delete(part.flatMap(({ sha256 }) => keysOf(companyId, sha256)));
    removed.push(...part.map(({ sha256 }) => sha256));
  }
  await db.batch({
    forget: forgetBlobs({ companyId, hashes: removed, now, cutoff }),
    remove: deleteBlobs({ companyId, hashes: removed, now }),
  });
  return { after: next, isRepeated: isRecent || removed.length < unused.size };
}

const keysOf = (companyId: number, sha256: string): string[] => [
  blobKey(companyId, sha256),
  variantKey(companyId, sha256, "gzip"),
  variantKey(companyId, sha256, "br"),
];

/**
 * Removes from `unused` the hashes that a kept manifest names. Holds one manifest in memory at a time. Throws when the manifest of a
 * finalized deployment is missing, because its blobs would be removed.
 */
async function dropNamed(
  services: HostingServices,
  companyId: number,
  unused: Set<string>,
  draftsSince: number,
): Promise<void> {
  const db = services.dbOf(companyId);
  for (let after: string | undefined = ""; after !== undefined && unused.size > 0; ) {
    const limit = DEPLOYMENTS_PER_PAGE;
    const kept: { id: string; status: string }[] = await db.all(listKept({ companyId, after, draftsSince, limit }));
    for (const { id, status } of kept) {
      if (unused.size === 0) return;
      const object = await services.files.get(manifestKey(companyId, id));
      if (object === null && status !== "draft") throw new Error(`the manifest of deployment ${id} is missing`);
      const { files = {} } = object === null ? {} : await object.json<Pick<Manifest, "files">>();
      for (const { sha256 } of Object.values(files)) unused.delete(sha256);
    }
    after = kept.length < limit ? undefined : kept.at(-1)?.id;
  }
}
