import { sql } from "drizzle-orm";
import { share_links, storage_objects } from "../../../db/storage/schema";
import type { ScannedTarget } from "../../kit/jobs/purge/purge-scan.store";
import { DAY_MS } from "../../kit/time";

/** Milliseconds for which an ended link is still listed. */
const SHARE_MS = 30 * DAY_MS;

/**
 * The purge target of ended share links. It deletes links that were created more than 30 days ago, if they also ended more
 * than 30 days ago, have no downloads left, or belong to a deleted object. A link without downloads left has no recorded
 * end time.
 */
export const endedShares: ScannedTarget<unknown> = {
  name: "share_links",
  table: share_links,
  key: share_links.id,
  ageMs: SHARE_MS,
  isCounted: false,
  isExpired: (
    bound,
  ) => sql`(${share_links.revoked_at} < ${bound("cutoff")} or ${share_links.expires_at} < ${bound("cutoff")}
    or ${share_links.download_count} >= ${share_links.max_downloads} or not exists (select 1 from ${storage_objects} where ${storage_objects.id} = ${share_links.object_id}))`,
  bounds: (_services, now) => ({ cutoff: now - SHARE_MS }),
};
