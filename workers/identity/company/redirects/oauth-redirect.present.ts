import { iso } from "../../../kit/time";
import type { OauthRedirectRow } from "./oauth-redirect.store";

/** Returns an allowlist row as the API shows it. */
export function presentOauthRedirect(row: OauthRedirectRow) {
  return {
    id: row.id,
    base_url: row.base_url,
    label: row.label,
    source: row.source,
    is_active: row.is_active,
    created_at: iso(row.created_at),
  };
}
