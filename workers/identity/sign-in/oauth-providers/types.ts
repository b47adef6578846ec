import type { ClientConfig } from "../../../../db/identity/schema";
import type { ProviderCalls } from "./calls";

/** What an administrator gives for a client; `secret` is never shown again. */
export type ClientField = {
  name: "client_id" | "client_secret" | "private_key" | "tenant" | "team_id" | "key_id" | "issuer" | "scopes";
  required: boolean;
  secret: boolean;
};

/** A company's client, opened for use: `secret` is the client secret, or the private key of apple. */
export type OpenClient = { clientId: string; secret: string; config: ClientConfig };

/** Where a provider is reached. `jwks` and `issuer` are there for OpenID Connect providers. */
export type Endpoints = {
  authorize: string;
  token: string;
  jwks?: string;
  userinfo?: string;
  /** whether `iss` of an ID token is this provider's; `claims` are those of the token */
  isIssuer?: (issuer: string, claims: Record<string, unknown>) => boolean;
  /** `iss` that the answer of the authorize endpoint must carry (RFC 9207); undefined: checked only when present */
  responseIssuer?: string;
  requiresResponseIssuer?: boolean;
  /** how the client proves itself at the token endpoint; default `post` */
  tokenAuth?: "basic" | "post";
  supportsPkce: boolean;
};

/** Who the provider says the person is; `email` in lower case, null when there is none. */
export type ProviderIdentity = {
  issuer: string;
  subject: string;
  email: string | null;
  isEmailProven: boolean;
  firstName: string;
  lastName: string;
  avatarUrl: string | null;
};

/** The tokens of an exchanged code, the verified claims of the ID token, and what came with the callback. */
export type Exchange = {
  accessToken: string | null;
  claims: Record<string, unknown>;
  /** the `user` value of apple's first form post */
  user: Record<string, unknown>;
};

/** One kind of sign-in provider: data, and the few steps in which it differs from the others. */
export type ProviderDefinition = {
  label: string;
  fields: ClientField[];
  scopes: string;
  /** further parameters of the authorize request */
  parameters: Record<string, string>;
  /** parameters that let the person choose another account */
  switchAccount: Record<string, string>;
  /** whether there is an ID token, hence `nonce` */
  isOpenId: boolean;
  endpoints(client: OpenClient, calls: ProviderCalls): Promise<Endpoints>;
  /** whether the stored secret can be used at all, where that can be told from the text */
  isSecret?(secret: string): Promise<boolean>;
  /** the secret of a token call where it is not the stored one; `now` in unix ms */
  makeSecret?(client: OpenClient, now: number): Promise<string>;
  readIdentity(exchange: Exchange, endpoints: Endpoints, calls: ProviderCalls): Promise<ProviderIdentity>;
};
