import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose";
import * as z from "zod";
import type { OAuthClientRow } from "../../../../db/identity/schema";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { bytesToBase64, utf8ToBytes } from "../../../kit/crypto/encoding";
import { timingSafeEqual } from "../../../kit/crypto/hash";
import { openClient } from "../../company/sign-in-methods/oauth-client";
import { type ErrorCode, Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { createCalls, ProviderCallError, type ProviderCalls } from "../oauth-providers/calls";
import { providers } from "../oauth-providers/catalog";
import type { Endpoints, OpenClient, ProviderDefinition, ProviderIdentity } from "../oauth-providers/types";
import type { FormPost, StateSecrets } from "./state";

/** The values that a provider sent to the callback, in the query or in a form post. */
export type CallbackValues = FormPost & { iss?: string | undefined };

/** Only asymmetric signatures. With a symmetric algorithm, anyone who knows the client secret could sign ID tokens. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
const CLOCK_TOLERANCE_SECONDS = 30;

const tokenResponseSchema = lazySchema(() =>
  z.object({ access_token: z.string().optional(), id_token: z.string().optional() }),
);
const keySetSchema = lazySchema(() => z.object({ keys: z.array(z.looseObject({ kty: z.string() })) }));
const userSchema = lazySchema(() => z.record(z.string(), z.unknown()));

/** Returns the callback URL as it is registered at every provider, without a query. */
export function callbackUrl(services: IdentityServices): string {
  return `${services.settings.issuer}/api/v1/oauth/callback`;
}

/**
 * Returns a client with its opened secret. Throws 400 `provider_disabled` for a disabled client, and
 * `oauth_client_unavailable` when the client is deleted or incomplete, or its secret cannot be opened.
 */
export async function requireClient(services: IdentityServices, row: OAuthClientRow | null): Promise<OpenClient> {
  if (!row) throw new Problem("oauth_client_unavailable");
  if (!row.is_active) throw new Problem("provider_disabled");
  const client = await openClient(services, row);
  if (!client) throw new Problem("oauth_client_unavailable");
  return client;
}

/**
 * Returns the user's identity at the provider from the values of the callback. Throws a Problem with the error code of the
 * failed step.
 */
export async function identifyUser(
  services: IdentityServices,
  row: OAuthClientRow | null,
  values: CallbackValues,
  secrets: StateSecrets,
): Promise<ProviderIdentity> {
  const client = await requireClient(services, row);
  if (values.error !== undefined) throw new Problem("oauth_provider_denied");
  if (!values.code) throw new Problem("missing_code");
  if (!row) throw new Problem("oauth_client_unavailable");
  const provider = providers[row.provider];
  const calls = createCalls(services);
  const endpoints = await withErrorCode("token_exchange_failed", () => provider.endpoints(client, calls));
  checkResponseIssuer(endpoints, values.iss);
  const secret = await withErrorCode("oauth_client_unavailable", async () =>
    provider.makeSecret ? provider.makeSecret(client, services.clock.now()) : client.secret,
  );
  const form = {
    grant_type: "authorization_code",
    code: values.code,
    redirect_uri: callbackUrl(services),
    ...(secrets.verifier === null ? {} : { code_verifier: secrets.verifier }),
  };
  // Fetches the keys in parallel with the exchange. When both fail, the error of the exchange is thrown.
  const [exchanged, keys] = await Promise.allSettled([
    withErrorCode("token_exchange_failed", () => exchangeCode(calls, endpoints, { ...client, secret }, form)),
    provider.isOpenId ? withErrorCode("oauth_identity_failed", () => readKeys(calls, endpoints)) : null,
  ]);
  if (exchanged.status === "rejected") throw exchanged.reason;
  if (keys.status === "rejected") throw keys.reason;
  const claims = keys.value
    ? await verifyIdToken(services, exchanged.value.id_token, keys.value, { client, endpoints, nonce: secrets.nonce })
    : {};
  const accessToken = exchanged.value.access_token ?? null;
  return withErrorCode("oauth_identity_failed", () =>
    provider.readIdentity({ accessToken, claims, user: readUser(values.user) }, endpoints, calls),
  );
}

/** Runs a step and turns its failure into a Problem with `code`. Keeps the cause for the log. */
async function withErrorCode<T>(code: ErrorCode, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem(code, { cause });
  }
}

/** Logs the cause of a rejection. The messages of our errors and of the JWT library contain no tokens. */
export function logProblem(services: IdentityServices, { code, cause }: Problem): void {
  if (!(cause instanceof Error)) return;
  const deeper = cause.cause instanceof Error ? ` <- ${cause.cause.name}` : "";
  const text = `${cause.name}: ${cause.message}${deeper}`.slice(0, 300);
  services.log.warn("sign-in by a provider failed", { code, cause: text });
}

/**
 * Throws `token_exchange_failed` when the callback names another issuer, or no issuer although the provider always sends one.
 * Another provider may have issued its code, which must then not be sent to this provider (RFC 9207).
 */
function checkResponseIssuer({ responseIssuer, requiresResponseIssuer }: Endpoints, iss: string | undefined): void {
  if (iss === undefined ? requiresResponseIssuer : responseIssuer !== undefined && iss !== responseIssuer) {
    throw new Problem("token_exchange_failed", { cause: new ProviderCallError("iss of the callback does not match") });
  }
}

async function exchangeCode(
  calls: ProviderCalls,
  endpoints: Endpoints,
  { clientId, secret }: OpenClient,
  form: Record<string, string>,
): Promise<z.output<typeof tokenResponseSchema>> {
  const isBasic = endpoints.tokenAuth === "basic";
  const response = isBasic
    ? await calls.postForm(endpoints.token, form, { authorization: basicAuthorization(clientId, secret) })
    : await calls.postForm(endpoints.token, { ...form, client_id: clientId, client_secret: secret });
  const { data } = tokenResponseSchema.safeParse(response);
  // GitHub rejects a code with status 200.
  if (!data || (!data.access_token && !data.id_token))
    throw new ProviderCallError("the token response contains no token");
  return data;
}

/** Returns a Basic authorization header. Client id and secret are form-encoded first (RFC 6749, section 2.3.1). */
function basicAuthorization(clientId: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams({ "": text }).toString().slice(1);
  return `Basic ${bytesToBase64(utf8ToBytes(`${encode(clientId)}:${encode(secret)}`))}`;
}

async function readKeys(calls: ProviderCalls, { jwks }: Endpoints): Promise<JSONWebKeySet> {
  if (jwks === undefined) throw new ProviderCallError("the provider has no key set");
  const { data } = keySetSchema.safeParse(await calls.get(jwks));
  if (!data) throw new ProviderCallError("the key set of the provider cannot be read");
  return data;
}

/** Returns the claims of a genuine ID token for this client and sign-in. Throws 400 `oauth_id_token_invalid`. */
async function verifyIdToken(
  services: IdentityServices,
  idToken: string | undefined,
  keys: JSONWebKeySet,
  expected: { client: OpenClient; endpoints: Endpoints; nonce: string | null },
): Promise<JWTPayload> {
  const { client, endpoints, nonce } = expected;
  return withErrorCode("oauth_id_token_invalid", async () => {
    const { payload } = await jwtVerify(idToken ?? "", createLocalJWKSet(keys), {
      algorithms: ALGORITHMS,
      audience: client.clientId,
      currentDate: new Date(services.clock.now()),
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ["iss", "sub", "aud", "exp", "iat"],
    });
    const { iss, sub, azp } = payload;
    const isIssuer = typeof iss === "string" && endpoints.isIssuer?.(iss, payload) === true;
    const isSubject = typeof sub === "string" && sub !== "" && sub.length <= 255;
    const isNonce = nonce !== null && typeof payload.nonce === "string" && timingSafeEqual(nonce, payload.nonce);
    const isAuthorizedParty = azp === undefined || azp === client.clientId;
    if (!isIssuer || !isSubject || !isNonce || !isAuthorizedParty)
      throw new errors.JWTInvalid("iss, sub, nonce or azp does not match");
    return payload;
  });
}

/**
 * Parses the JSON of Apple's `user` value, which Apple sends only at the first sign-in. Returns {} for a missing or invalid
 * value.
 */
function readUser(text: string | undefined): Record<string, unknown> {
  if (!text) return {};
  try {
    return userSchema.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {}; // the name is optional, so the sign-in continues
  }
}

/** Returns the URL of the provider's authorize endpoint with its parameters. */
export function authorizeLocation(
  services: IdentityServices,
  provider: ProviderDefinition,
  client: OpenClient,
  endpoints: Endpoints,
  input: { state: string; nonce: string | null; challenge: string | null; switchAccount: boolean },
): string {
  const url = new URL(endpoints.authorize);
  const { state, nonce, challenge, switchAccount } = input;
  const parameters: Record<string, string> = {
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: callbackUrl(services),
    scope: client.config.scopes ?? provider.scopes,
    state,
    ...(nonce === null ? {} : { nonce }),
    ...(challenge === null ? {} : { code_challenge: challenge, code_challenge_method: "S256" }),
    ...provider.parameters,
    ...(switchAccount ? provider.switchAccount : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
