import type { PatRow } from "../../../../db/identity/schema";
import { iso } from "../../../kit/time";

/** Returns a token as the API shows it, without its JWT. */
export function presentPat(row: PatRow) {
  return {
    id: row.id,
    user_id: row.user_id,
    name: row.name,
    read_only: row.read_only,
    access_global_metrics: row.access_global_metrics,
    created_at: iso(row.created_at),
    expires_at: iso(row.expires_at),
    last_used_at: iso(row.last_used_at),
    revoked_at: iso(row.revoked_at),
    use_count: row.use_count,
    last_used_network: row.last_used_network,
  };
}
