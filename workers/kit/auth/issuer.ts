import { baseUrl, text } from "../settings/setting-types";
import { required, type SettingsOf, type SettingsTable } from "../settings/settings";
import { createKeySet, type KeySet } from "./jwks";

/** Where identity is, and what its tokens say. A URL is null where the binding is used. */
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

/** The key set of the issuer; keep one an isolate. A set URL wins over the binding, where the host is not looked at. */
export function openKeySet({ serviceUrl, jwksUrl }: IssuerSettings, identity: Fetcher): KeySet {
  if (jwksUrl === null && serviceUrl === null) {
    return createKeySet((init) => identity.fetch("https://identity/.well-known/jwks.json", init));
  }
  return createKeySet((init) => fetch(jwksUrl ?? `${serviceUrl}/.well-known/jwks.json`, init));
}
