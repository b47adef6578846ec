import { parseUrlBase, required, settingText, withDefault } from "../settings";
import { createKeySet, type KeySet } from "./jwks";

type Text = string | undefined;

/** Bindings and variables by which a sibling of identity knows it (email details 1.6). */
export type IssuerBindings = {
  IDENTITY: Fetcher;
  IDENTITY_SERVICE_URL?: Text;
  IDENTITY_ISSUER?: Text;
  IDENTITY_AUDIENCE?: Text;
  IDENTITY_JWKS_URL?: Text;
};

/** Where identity is, and what its tokens say. A URL is null where the binding is used. */
export type IssuerSettings = { serviceUrl: string | null; jwksUrl: string | null; issuer: string; audience: string };

/** Reads the settings of the issuer; throws a SettingError. */
export function readIssuerSettings(env: IssuerBindings, { debug }: { debug: boolean }): IssuerSettings {
  const urlBase = (name: "IDENTITY_SERVICE_URL" | "IDENTITY_JWKS_URL") => {
    const text = settingText(env[name]);
    return text === "" ? null : parseUrlBase(name, text, { debug });
  };
  return {
    serviceUrl: urlBase("IDENTITY_SERVICE_URL"),
    jwksUrl: urlBase("IDENTITY_JWKS_URL"),
    issuer: required("IDENTITY_ISSUER", env.IDENTITY_ISSUER),
    audience: withDefault(env.IDENTITY_AUDIENCE, "platform"),
  };
}

/** The key set of the issuer; keep one an isolate. A set URL wins over the binding, where the host is not looked at. */
export function openKeySet({ serviceUrl, jwksUrl }: IssuerSettings, identity: Fetcher): KeySet {
  if (jwksUrl === null && serviceUrl === null) {
    return createKeySet((init) => identity.fetch("https://identity/.well-known/jwks.json", init));
  }
  return createKeySet((init) => fetch(jwksUrl ?? `${serviceUrl}/.well-known/jwks.json`, init));
}
