import * as z from "zod";
import { ProviderCallError } from "./calls";
import { identityOf } from "./claims";
import { readDiscovery } from "./discovery";
import type { ProviderDefinition } from "./types";

/**
 * A generic OpenID Connect provider, configured by its issuer (OpenID Connect Core 1.0). Its addresses never count as proven.
 */
export const oidc: ProviderDefinition = {
  label: "OpenID Connect",
  fields: [
    { name: "issuer", required: true, secret: false },
    { name: "client_id", required: true, secret: false },
    { name: "client_secret", required: true, secret: true },
    { name: "scopes", required: false, secret: false },
  ],
  scopes: "openid email profile",
  parameters: {},
  switchAccount: { prompt: "login" },
  isOpenId: true,
  async endpoints({ config }, calls) {
    const issuer = config.issuer ?? "";
    const discovery = await readDiscovery(issuer, calls);
    if (discovery.issuer !== issuer) throw new ProviderCallError("the discovery document names another issuer");
    const auth = discovery.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return {
      authorize: discovery.authorization_endpoint,
      token: discovery.token_endpoint,
      jwks: discovery.jwks_uri,
      ...(discovery.userinfo_endpoint === undefined ? {} : { userinfo: discovery.userinfo_endpoint }),
      isIssuer: (value) => value === issuer,
      responseIssuer: issuer,
      requiresResponseIssuer: discovery.authorization_response_iss_parameter_supported === true,
      tokenAuth: auth.includes("client_secret_basic") ? "basic" : "post",
      supportsPkce: discovery.code_challenge_methods_supported?.includes("S256") ?? true,
    };
  },
  async readIdentity({ accessToken, claims }, { userinfo }, calls) {
    const issuer = String(claims.iss);
    if (claims.email !== undefined || userinfo === undefined || accessToken === null)
      return identityOf(claims, issuer, false);
    // Many providers return the claims of a scope from the userinfo endpoint only (OpenID Connect Core, 5.4).
    const userClaims = z.looseObject({ sub: z.string() }).safeParse(await calls.get(userinfo, accessToken)).data;
    if (userClaims?.sub !== claims.sub) throw new ProviderCallError("the sub of userinfo differs from the ID token");
    return identityOf({ ...userClaims, ...claims }, issuer, false);
  },
};
