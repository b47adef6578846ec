import type { ClientConfig } from "../../../../db/identity/schema";
import type { ProviderCalls } from "./calls";

/** A field in the form of an OAuth client. The value of a `secret` field is never shown again. */
export type ClientField = {
  name: "client_id" | "client_secret" | "private_key" | "tenant" | "team_id" | "key_id" | "issuer" | "scopes";
  required: boolean;
  secret: boolean;
};

/** A company's OAuth client with its opened secret: the client secret, or the private key of Apple. */
export type OpenClient = { clientId: string; secret: string; config: ClientConfig };

/** The endpoints of a provider. Only OpenID Connect providers have `jwks` and `isIssuer`. */
export type Endpoints = {
  authorize: string;
  token: string;
  jwks?: string;
  userinfo?: string;
  /** whether the `iss` of an ID token belongs to this provider; `claims` are the claims of the token */
  isIssuer?: (issuer: string, claims: Record<string, unknown>) => boolean;
  /** expected `iss` of the authorization response (RFC 9207); not checked when undefined */
  responseIssuer?: string;
  requiresResponseIssuer?: boolean;
  /** how the client authenticates at the token endpoint; default `post` */
  tokenAuth?: "basic" | "post";
  supportsPkce: boolean;
};

/** The user's identity at the provider. `email` is in lower case, or null. */
export type ProviderIdentity = {
  issuer: string;
  subject: string;
  email: string | null;
  isEmailProven: boolean;
  firstName: string;
  lastName: string;
  avatarUrl: string | null;
};

/** The result of a code exchange: the access token, the verified claims of the ID token, and Apple's `user` value. */
export type Exchange = {
  accessToken: string | null;
  claims: Record<string, unknown>;
  /** the `user` value that Apple sends with the first form post */
  user: Record<string, unknown>;
};

/** One kind of sign-in provider: its data, and the steps of a sign-in that differ between providers. */
export type ProviderDefinition = {
  label: string;
  /** the issuer of every account at the provider; missing when it differs between accounts */
  issuer?: string;
  fields: ClientField[];
  scopes: string;
  /** further parameters of the authorize request */
  parameters: Record<string, string>;
  /** parameters that let the user choose another account */
  switchAccount: Record<string, string>;
  /** whether the provider issues an ID token; if so, the authorize request has a `nonce` */
  isOpenId: boolean;
  endpoints(client: OpenClient, calls: ProviderCalls): Promise<Endpoints>;
  /** whether the stored secret is well-formed */
  isValidSecret?(secret: string): Promise<boolean>;
  /** returns the secret for a token request when it differs from the stored one; `now` is unix ms */
  makeSecret?(client: OpenClient, now: number): Promise<string>;
  readIdentity(exchange: Exchange, endpoints: Endpoints, calls: ProviderCalls): Promise<ProviderIdentity>;
};
