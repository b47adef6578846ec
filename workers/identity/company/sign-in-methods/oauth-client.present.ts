import type { OAuthClientRow } from "../../../../db/identity/schema";
import { iso } from "../../../kit/time";
import type { IdentityServices } from "../../services";
import { providers } from "../../sign-in/oauth-providers/catalog";
import { configOf, isUsable } from "./oauth-client";
import { slugOf } from "./oauth-client-input";

/** Returns a client as the API shows it, without its secret. Missing values are replaced by the provider's defaults. */
export function presentOauthClient(row: OAuthClientRow) {
  const config = configOf(row);
  return {
    id: row.id,
    provider: row.provider,
    provider_id: row.provider_id,
    slug: slugOf(row),
    label: row.label,
    client_id: row.client_id,
    tenant: config.tenant ?? (row.provider === "microsoft" ? "common" : null),
    team_id: config.team_id ?? null,
    key_id: config.key_id ?? null,
    scopes: config.scopes ?? (row.provider === "oidc" ? providers.oidc.scopes : null),
    issuer: config.issuer ?? null,
    is_active: row.is_active,
    has_secret: row.secret_sealed !== null,
    is_usable: isUsable(row),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

/** Returns the fields of each provider's client form, and the callback URL to register at every provider. */
export function presentCatalog({ settings }: Pick<IdentityServices, "settings">) {
  return {
    callback_url: `${settings.issuer}/api/v1/oauth/callback`,
    results: Object.entries(providers).map(([provider, { label, fields }]) => ({
      provider,
      label,
      fields: fields.map(({ name, required, secret }) => ({ name, required, secret })),
    })),
  };
}
