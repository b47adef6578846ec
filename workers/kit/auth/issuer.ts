import { baseUrl, text } from "../settings/setting-types";
import { required, type SettingsOf, type SettingsTable } from "../settings/settings";
import { createKeySet, type KeySet } from "./jwks";

/**
 * Settings: the URLs of identity, and the claims that its tokens must have. Without a URL the service binding is used.
 */
export const issuerTable = {
  serviceUrl: {
    name: "IDENTITY_SERVICE_URL",
    type: baseUrl,
    meaning: "URL of identity, used instead of the binding",
  },
  jwksUrl: {
    name: "IDENTITY_JWKS_URL",
    type: baseUrl,
    meaning:
      "URL of identity's public keys, used instead of `/.well-known/jwks.json` at `IDENTITY_SERVICE_URL` or the binding",
  },
  issuer: { name: "IDENTITY_ISSUER", type: text, default: required, meaning: "Must equal `JWT_ISSUER` of identity" },
  audience: {
    name: "IDENTITY_AUDIENCE",
    type: text,
    default: "platform",
    meaning: "Must equal `JWT_AUDIENCE` of identity",
  },
} as const satisfies SettingsTable;

export type IssuerSettings = SettingsOf<typeof issuerTable>;

/**
 * Returns the key set of the issuer; call it once per isolate. A configured URL takes precedence over the binding. In a call to the binding the host name is a placeholder.
 */
export function openKeySet({ serviceUrl, jwksUrl }: IssuerSettings, identity: Fetcher): KeySet {
  if (jwksUrl === null && serviceUrl === null) {
    return createKeySet((init) => identity.fetch("https://identity/.well-known/jwks.json", init));
  }
  return createKeySet((init) => fetch(jwksUrl ?? `${serviceUrl}/.well-known/jwks.json`, init));
}
