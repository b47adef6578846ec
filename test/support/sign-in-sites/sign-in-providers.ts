import {
  type CryptoKey,
  exportJWK,
  exportPKCS8,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from "jose";

/** A user at a provider, in the provider's format. */
export type Account = { sub: string; claims?: Record<string, unknown>; user?: Record<string, unknown> };

/** What a provider stores about an issued code. */
type Grant = { parameters: URLSearchParams; account: Account };

type Handler = (request: Request, url: URL) => Promise<Response> | Response;

const sha256 = async (text: string) => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
};

/** Parses a form body without text(), which makes the runtime log a warning. */
const formOf = async (request: Request) => new URLSearchParams(new TextDecoder().decode(await request.arrayBuffer()));

const refuse = (error: string, status = 400) => Response.json({ error }, { status });

/**
 * Keys of the test run: `rsa` signs the tokens of all OpenID providers, `stranger` is in no key set, and `apple` is the
 * key of the client at Apple.
 */
export const keys = await (async () => {
  const [rsa, stranger, apple] = await Promise.all([
    generateKeyPair("RS256", { extractable: true }),
    generateKeyPair("RS256", { extractable: true }),
    generateKeyPair("ES256", { extractable: true }),
  ]);
  const jwk: JWK = { ...(await exportJWK(rsa.publicKey)), kid: "k1", alg: "RS256", use: "sig" };
  return { rsa, stranger, apple, jwk, applePem: await exportPKCS8(apple.privateKey) };
})();

/**
 * Returns whether Apple accepts this as a client secret: a JWT signed with the client's key (ES256, valid for at most 6
 * months).
 */
export async function isAppleSecret(secret: string, clientId: string): Promise<boolean> {
  try {
    const { payload, protectedHeader } = await jwtVerify(secret, keys.apple.publicKey, {
      algorithms: ["ES256"],
      issuer: "TEAM123456",
      audience: "https://appleid.apple.com",
      subject: clientId,
      requiredClaims: ["iat", "exp"],
    });
    const lifetime = (payload.exp ?? 0) - (payload.iat ?? 0);
    return protectedHeader.kid === "KEY1234567" && lifetime > 0 && lifetime <= 15_777_000;
  } catch {
    return false;
  }
}

/**
 * Creates a simulated internet: DNS and the hosts of the providers. Each host responds as its documentation says and
 * rejects what the real host rejects. Connections to `down` hosts fail; `answers` replaces the responses of a URL.
 */
export function createInternet() {
  const grants = new Map<string, Grant>();
  const accessTokens = new Map<string, Account>();
  const state = {
    /** received requests, newest last */
    requests: [] as { url: string; method: string; headers: Headers; body: string; redirect: string }[],
    down: new Set<string>(),
    addresses: new Map<string, string>(),
    answers: new Map<string, () => Response | Promise<Response>>(),
    /** changes the claims of the next ID tokens, or the key that signs them */
    claims: {} as Record<string, unknown>,
    signer: keys.rsa.privateKey as CryptoKey,
  };

  /** Signs the user in at the provider. Returns the callback's query values for an authorize URL. */
  function consent(location: string, account: Account): Record<string, string> {
    const { searchParams } = new URL(location);
    const code = crypto.randomUUID();
    grants.set(code, { parameters: searchParams, account });
    return { code, state: searchParams.get("state") ?? "" };
  }

  /** Checks what every token endpoint checks: grant, redirect, PKCE, and that the code is used once. */
  async function redeem(form: URLSearchParams, clientId: string): Promise<Grant | Response> {
    const code = form.get("code") ?? "";
    const grant = grants.get(code);
    grants.delete(code);
    if (!grant || form.get("grant_type") !== "authorization_code") return refuse("invalid_grant");
    const { parameters } = grant;
    if (clientId !== parameters.get("client_id")) return refuse("invalid_client", 401);
    if (form.get("redirect_uri") !== parameters.get("redirect_uri")) return refuse("redirect_uri_mismatch");
    const challenge = parameters.get("code_challenge");
    if (challenge && challenge !== (await sha256(form.get("code_verifier") ?? ""))) return refuse("invalid_grant");
    return grant;
  }

  async function idToken(issuer: string, { parameters, account }: Grant): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const claims: JWTPayload = {
      iss: issuer,
      aud: parameters.get("client_id") ?? "",
      sub: account.sub,
      iat: now,
      exp: now + 3600,
      nonce: parameters.get("nonce") ?? "",
      ...account.claims,
      ...state.claims,
    };
    return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "k1" }).sign(state.signer);
  }

  /** Returns the token endpoint of an OpenID provider; `check` authenticates the client. */
  const tokens =
    (issuerOf: (account: Account) => string, check: (form: URLSearchParams) => Promise<boolean> | boolean): Handler =>
    async (request) => {
      const form = await formOf(request);
      if (!(await check(form))) return refuse("invalid_client", 401);
      const grant = await redeem(form, form.get("client_id") ?? "");
      if (grant instanceof Response) return grant;
      const access_token = crypto.randomUUID();
      accessTokens.set(access_token, grant.account);
      return Response.json({
        access_token,
        token_type: "Bearer",
        expires_in: 3599,
        id_token: await idToken(issuerOf(grant.account), grant),
      });
    };

  const hasSecret = (form: URLSearchParams) => form.get("client_secret") === "secret";
  const keySet: Handler = () => Response.json({ keys: [keys.jwk] });

  const microsoftHost = "https://login.microsoftonline.com";
  const microsoft = (tenant: string, issuerTenant: string): Record<string, Handler> => ({
    [`${microsoftHost}/${tenant}/v2.0/.well-known/openid-configuration`]: () =>
      Response.json({
        issuer: `${microsoftHost}/${issuerTenant}/v2.0`,
        authorization_endpoint: `${microsoftHost}/${tenant}/oauth2/v2.0/authorize`,
        token_endpoint: `${microsoftHost}/${tenant}/oauth2/v2.0/token`,
        jwks_uri: `${microsoftHost}/${tenant}/discovery/v2.0/keys`,
        token_endpoint_auth_methods_supported: ["client_secret_post", "private_key_jwt", "client_secret_basic"],
      }),
    [`${microsoftHost}/${tenant}/oauth2/v2.0/token`]: tokens(
      (account) => `${microsoftHost}/${String(account.claims?.tid)}/v2.0`,
      hasSecret,
    ),
    [`${microsoftHost}/${tenant}/discovery/v2.0/keys`]: keySet,
  });

  /**
   * GitHub returns 200 even for a rejected code, and a form-encoded body unless the request accepts JSON. Its API
   * requires a user agent.
   */
  const githubToken: Handler = async (request) => {
    const form = await formOf(request);
    const isJson = request.headers.get("accept") === "application/json";
    const respond = (values: Record<string, string>) =>
      isJson ? Response.json(values) : new Response(new URLSearchParams(values).toString());
    if (!hasSecret(form)) return respond({ error: "incorrect_client_credentials" });
    form.set("grant_type", "authorization_code");
    const grant = await redeem(form, form.get("client_id") ?? "");
    if (grant instanceof Response) return respond({ error: "bad_verification_code" });
    const access_token = `gho_${crypto.randomUUID()}`;
    accessTokens.set(access_token, grant.account);
    return respond({ access_token, token_type: "bearer", scope: grant.parameters.get("scope") ?? "" });
  };
  const githubApi =
    (read: (account: Account) => unknown): Handler =>
    (request) => {
      if (!request.headers.get("user-agent")) return new Response("forbidden by administrative rules", { status: 403 });
      const account = accessTokens.get((request.headers.get("authorization") ?? "").replace("Bearer ", ""));
      return account ? Response.json(read(account)) : Response.json({ message: "Bad credentials" }, { status: 401 });
    };

  /**
   * A generic OpenID provider that returns email addresses only from its userinfo endpoint, and accepts the client
   * secret by HTTP Basic.
   */
  const acme = "https://id.acme.example";
  const acmeToken: Handler = async (request) => {
    if (request.headers.get("authorization") !== `Basic ${btoa("client%3A1:s+ec%26ret")}`)
      return refuse("invalid_client", 401);
    const grant = await redeem(await formOf(request), "client:1");
    if (grant instanceof Response) return grant;
    const access_token = crypto.randomUUID();
    accessTokens.set(access_token, grant.account);
    const { sub } = grant.account;
    return Response.json({ access_token, id_token: await idToken(acme, { ...grant, account: { sub } }) });
  };

  const routes: Record<string, Handler> = {
    "https://oauth2.googleapis.com/token": tokens(() => "https://accounts.google.com", hasSecret),
    "https://www.googleapis.com/oauth2/v3/certs": keySet,
    "https://github.com/login/oauth/access_token": githubToken,
    "https://api.github.com/user": githubApi(({ sub, user }) => ({
      id: Number(sub),
      login: "octo",
      ...user,
      emails: undefined,
    })),
    "https://api.github.com/user/emails": githubApi(({ user }) => user?.emails ?? []),
    ...microsoft("common", "{tenantid}"),
    ...microsoft("contoso.example", "11111111-2222-3333-4444-555555555555"),
    "https://appleid.apple.com/auth/token": tokens(
      () => "https://appleid.apple.com",
      (form) => isAppleSecret(form.get("client_secret") ?? "", form.get("client_id") ?? ""),
    ),
    "https://appleid.apple.com/auth/keys": keySet,
    [`${acme}/.well-known/openid-configuration`]: () =>
      Response.json({
        issuer: acme,
        authorization_endpoint: `${acme}/auth`,
        token_endpoint: `${acme}/token`,
        jwks_uri: `${acme}/jwks`,
        userinfo_endpoint: `${acme}/me`,
        token_endpoint_auth_methods_supported: ["client_secret_basic"],
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
      }),
    [`${acme}/token`]: acmeToken,
    [`${acme}/jwks`]: keySet,
    [`${acme}/me`]: (request) => {
      const account = accessTokens.get((request.headers.get("authorization") ?? "").replace("Bearer ", ""));
      return account ? Response.json({ sub: account.sub, ...account.claims }) : refuse("invalid_token", 401);
    },
  };

  /** DNS over HTTPS: every name has a public address unless a test sets another one. */
  const resolve: Handler = (_request, url) => {
    const name = url.searchParams.get("name") ?? "";
    const isA = url.searchParams.get("type") === "A";
    const data = state.addresses.get(name) ?? "93.184.216.34";
    return Response.json({ Status: 0, Answer: isA ? [{ name, type: 1, TTL: 60, data }] : [] });
  };

  async function handleRequest(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const request = new Request(input as string, init as never);
    const url = new URL(request.url);
    if (url.hostname === "cloudflare-dns.com") return resolve(request, url);
    const body = new TextDecoder().decode(await request.clone().arrayBuffer());
    const { redirect } = request;
    state.requests.push({ url: url.href, method: request.method, headers: request.headers, body, redirect });
    if (state.down.has(url.hostname)) throw new TypeError("connection refused");
    const endpoint = `${url.origin}${url.pathname}`;
    const handler = state.answers.get(endpoint) ?? routes[endpoint];
    if (!handler) return new Response("no such page", { status: 404 });
    return handler(request, url);
  }

  return { state, consent, fetch: handleRequest as typeof fetch };
}
