import type { OauthRedirectRow } from "./oauth-redirect.store";

/** A row of the allowlist as it is answered (details 7.5). */
export function presentOauthRedirect(row: OauthRedirectRow) {
  return {
    id: row.id,
    base_url: row.base_url,
    label: row.label,
    source: row.source,
    is_active: row.is_active === 1,
    created_at: new Date(row.created_at).toISOString(),
  };
}
