import { ProviderCallError } from "./calls";
import { identityOf } from "./claims";
import { readDiscovery } from "./discovery";
import type { ProviderDefinition } from "./types";

/** https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc; `tenant` is an id, a domain or common. */
export const microsoft: ProviderDefinition = {
  label: "Microsoft",
  fields: [
    { name: "client_id", required: true, secret: false },
    { name: "client_secret", required: true, secret: true },
    { name: "tenant", required: false, secret: false },
  ],
  scopes: "openid email profile",
  parameters: { response_mode: "query" },
  switchAccount: { prompt: "select_account" },
  isOpenId: true,
  async endpoints({ config }, calls) {
    const tenant = encodeURIComponent(config.tenant ?? "common");
    const found = await readDiscovery(`https://login.microsoftonline.com/${tenant}/v2.0`, calls);
    return {
      authorize: found.authorization_endpoint,
      token: found.token_endpoint,
      jwks: found.jwks_uri,
      // The document of a shared endpoint names a template; the tenant of the person stands in the token.
      isIssuer: (value, claims) =>
        typeof claims.tid === "string" &&
        /^[0-9a-f-]{36}$/i.test(claims.tid) &&
        value === found.issuer.replace("{tenantid}", claims.tid),
      supportsPkce: true,
    };
  },
  async readIdentity({ claims }) {
    if (typeof claims.iss !== "string") throw new ProviderCallError("microsoft named no issuer");
    // Tenants set the address of their people as they like; only the optional claim says that its domain was proven.
    return identityOf(claims, claims.iss, isTrue(claims.xms_edov));
  },
};

/** Microsoft writes the claim as a boolean, as 1 and as "1", by the age of the application. */
function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === "1" || value === "true";
}
