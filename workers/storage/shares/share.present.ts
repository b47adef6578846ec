import type { ShareLinkRow } from "../../../db/storage/schema";
import { iso } from "../../kit/time";
import { isActive } from "./share";

/** Returns a link as the API shows it. `now` (unix ms) decides whether the link is active. */
export function presentShare(link: ShareLinkRow, { bucket, path }: { bucket: string; path: string }, now: number) {
  return {
    id: link.id,
    object_id: link.object_id,
    bucket,
    path,
    company_id: link.company_id,
    created_by_id: link.created_by_id,
    expires_at: iso(link.expires_at),
    max_downloads: link.max_downloads,
    download_count: link.download_count,
    revoked_at: iso(link.revoked_at),
    created_at: iso(link.created_at),
    notes: link.notes,
    active: isActive(link, now),
  };
}
