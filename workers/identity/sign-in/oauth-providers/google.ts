import { identityOf } from "./claims";
import type { ProviderDefinition } from "./types";

const ISSUER = "https://accounts.google.com";

/** https://developers.google.com/identity/openid-connect/openid-connect */
export const google: ProviderDefinition = {
  label: "Google",
  issuer: ISSUER,
  fields: [
    { name: "client_id", required: true, secret: false },
    { name: "client_secret", required: true, secret: true },
  ],
  scopes: "openid email profile",
  parameters: {},
  switchAccount: { prompt: "select_account" },
  isOpenId: true,
  endpoints: async () => ({
    authorize: "https://accounts.google.com/o/oauth2/v2/auth",
    token: "https://oauth2.googleapis.com/token",
    jwks: "https://www.googleapis.com/oauth2/v3/certs",
    // Google documents both spellings.
    isIssuer: (value) => value === ISSUER || value === "accounts.google.com",
    responseIssuer: ISSUER,
    supportsPkce: true,
  }),
  readIdentity: async ({ claims }) => identityOf(claims, ISSUER, claims.email_verified === true),
};
