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
    const discovery = await readDiscovery(`https://login.microsoftonline.com/${tenant}/v2.0`, calls);
    return {
      authorize: discovery.authorization_endpoint,
      token: discovery.token_endpoint,
      jwks: discovery.jwks_uri,
      // The discovery document of a shared endpoint has a template as its issuer. The user's tenant is in the token.
      isIssuer: (value, claims) =>
        typeof claims.tid === "string" &&
        /^[0-9a-f-]{36}$/i.test(claims.tid) &&
        value === discovery.issuer.replace("{tenantid}", claims.tid),
      supportsPkce: true,
    };
  },
  async readIdentity({ claims }) {
    if (typeof claims.iss !== "string") throw new ProviderCallError("the ID token of Microsoft has no issuer");
    // A tenant can set any address for its users. Only the optional claim `xms_edov` says that the domain was verified.
    return identityOf(claims, claims.iss, isTrue(claims.xms_edov));
  },
};

/** Returns whether a claim is true. Microsoft sends true, 1 or "1", depending on the age of the application. */
function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === "1" || value === "true";
}
