import { createExecutionContext, env } from "cloudflare:test";
import { vi } from "vitest";
import { oauth_clients, type Provider } from "../../../db/identity/schema";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import { sealSecret } from "../../../workers/identity/company/sign-in-methods/oauth-client";
import { services } from "../../../workers/identity/services";
import { createLog } from "../../../workers/kit/log";
import { type Account, createInternet, keys } from "../sign-in-sites/sign-in-providers";
import { callIdentity, createCompany, createMailbox, identityEnv, json, type Tokens } from "./identity";
import { insertRow } from "./rows";

/** The registered client of each provider in the tests. */
const registered: Record<Provider, { clientId: string; secret: string; config: Record<string, string> }> = {
  google: { clientId: "g.apps.googleusercontent.com", secret: "secret", config: {} },
  github: { clientId: "Iv1.client", secret: "secret", config: {} },
  microsoft: { clientId: "ms-client", secret: "secret", config: {} },
  apple: {
    clientId: "com.example.web",
    secret: keys.applePem,
    config: { team_id: "TEAM123456", key_id: "KEY1234567" },
  },
  oidc: { clientId: "client:1", secret: "s ec&ret", config: { issuer: "https://id.acme.example" } },
};

/** Stores an OAuth client of a company as the API does, and returns its id. */
export async function createClient(
  company: number,
  provider: Provider,
  fields: { config?: Record<string, string>; active?: boolean; label?: string; secret?: string | null } = {},
): Promise<string> {
  const id = crypto.randomUUID();
  const { clientId, secret, config } = registered[provider];
  const build = services(env as unknown as IdentityBindings, {
    requestId: "test",
    log: createLog({ service: "test", request_id: "test" }),
    waitUntil: (work) => createExecutionContext().waitUntil(work),
  });
  const clientSecret = fields.secret === undefined ? secret : fields.secret;
  const sealed = clientSecret === null ? null : await sealSecret(build, { id, company_id: company }, clientSecret);
  await insertRow(oauth_clients, {
    id,
    company_id: company,
    provider,
    provider_id: provider === "oidc" ? "oidc-acme" : provider,
    label: fields.label ?? "",
    client_id: clientId,
    config: { ...config, ...fields.config },
    secret_sealed: sealed,
    is_active: fields.active ?? true,
    created_at: 1,
    updated_at: 1,
  });
  return id;
}

export const callback = "/api/v1/oauth/callback";

/**
 * Creates a company with an OAuth client of a provider, and a new simulated internet. Returns functions for the steps
 * of a browser.
 */
export async function openSignIn(
  provider: Provider,
  options: {
    company?: Parameters<typeof createCompany>[0];
    vars?: Record<string, string>;
    config?: Record<string, string>;
  } = {},
) {
  const mailbox = createMailbox();
  const bindings = identityEnv(mailbox, options.vars);
  const company = await createCompany(options.company);
  const client = await createClient(company.id, provider, options.config ? { config: options.config } : {});
  const internet = createInternet();
  vi.stubGlobal("fetch", internet.fetch);
  const providerId = provider === "oidc" ? "oidc-acme" : provider;
  const redirectTo = `${company.origin}/login/callback`;

  const authorize = (query: Record<string, string> = {}, init: RequestInit = {}) => {
    const all = { company_id: String(company.id), redirect_to: redirectTo, provider: providerId, ...query };
    return callIdentity(bindings, `/api/v1/authorize?${new URLSearchParams(all)}`, init);
  };
  /** Starts a sign-in: returns the provider's URL and the browser's cookie. */
  const startSignIn = async (query: Record<string, string> = {}) => {
    const response = await authorize(query);
    const location = response.headers.get("location") ?? "";
    return { location, cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "", response };
  };
  /** Sends the provider's callback. */
  const sendCallback = (values: Record<string, string>, cookie: string, headers: Record<string, string> = {}) =>
    callIdentity(bindings, `${callback}?${new URLSearchParams(values)}`, { headers: { cookie, ...headers } });
  /** Sends Apple's callback: a cross-site POST without identity's cookie, then the GET that it redirects to. */
  const sendFormPost = async (values: Record<string, string>, cookie: string) => {
    const posted = await callIdentity(bindings, callback, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", origin: "https://appleid.apple.com" },
      body: new URLSearchParams(values).toString(),
    });
    const next = posted.headers.get("location") ?? "";
    const finished = await callIdentity(bindings, `${callback}${next}`, { headers: { cookie } });
    return { posted, finished };
  };
  /** Runs the complete sign-in of an account and returns the final location of the browser. */
  const run = async (
    account: Account,
    { query = {}, values = {} }: { query?: Record<string, string>; values?: Record<string, string> } = {},
  ): Promise<URL> => {
    const { location, cookie } = await startSignIn(query);
    const iss: Record<string, string> = provider === "oidc" ? { iss: "https://id.acme.example" } : {};
    const callbackValues = { ...internet.consent(location, account), ...iss, ...values };
    const response =
      provider === "apple"
        ? (await sendFormPost(callbackValues, cookie)).finished
        : await sendCallback(callbackValues, cookie);
    if (response.status !== 302) throw new Error(`callback: ${response.status} ${await response.text()}`);
    return new URL(response.headers.get("location") ?? "");
  };
  const redeem = async (location: URL, fields: Record<string, unknown> = {}): Promise<Response> =>
    callIdentity(
      bindings,
      "/api/v1/oauth/session",
      json({ auth_code: location.searchParams.get("platform_auth_code"), redirect_to: redirectTo, ...fields }),
    );
  /** Runs the complete sign-in and returns the claims of the access token. */
  const signInAs = async (account: Account) => {
    const location = await run(account);
    const response = await redeem(location);
    if (response.status !== 200) throw new Error(`${location} ${await response.text()}`);
    const tokens = await response.json<Tokens>();
    const claims = JSON.parse(
      atob((tokens.access_token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")),
    );
    return { tokens, claims: claims as Record<string, unknown> & { user_id: string; email: string; sid: string } };
  };
  return {
    bindings,
    mailbox,
    company,
    client,
    internet,
    redirectTo,
    providerId,
    authorize,
    startSignIn,
    sendCallback,
    sendFormPost,
    run,
    redeem,
    signInAs,
  };
}

/** Returns the error code in a redirect. */
export const errorOf = (location: URL) => location.searchParams.get("platform_oauth_error_code");

/** Returns a new Google account with a verified email address. */
export const google = (email: string, overrides: Record<string, unknown> = {}): Account => ({
  sub: crypto.randomUUID(),
  claims: { email, email_verified: true, given_name: "Ada", ...overrides },
});
