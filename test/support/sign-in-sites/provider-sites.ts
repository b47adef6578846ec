import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { exportJWK } from "jose";
import { type Context, Provider } from "oidc-provider";
import type { Sites } from "../platform/chromium";
import { createGithubSite } from "./github-site";
import { type Account, createInternet, isAppleSecret, keys } from "./sign-in-providers";

export type SiteName = "google" | "github" | "microsoft" | "apple";

/** The tenant of all users at Microsoft's site. */
export const microsoftTenant = "99999999-8888-7777-6666-555555555555";

/** The registered client of each provider; the sites use the same values. */
export const siteClients = {
  google: { client_id: "g.apps.googleusercontent.com", client_secret: "secret" },
  github: { client_id: "Iv1.client", client_secret: "secret" },
  microsoft: { client_id: "11111111-2222-3333-4444-555555555555", client_secret: "secret" },
  apple: {
    client_id: "com.example.web",
    team_id: "TEAM123456",
    key_id: "KEY1234567",
    private_key: keys.applePem,
  },
} as const satisfies Record<SiteName, Record<string, string>>;

/** How a provider's site differs from the certified OpenID package. */
type Site = {
  issuer: string;
  routes: Record<"authorization" | "token" | "jwks", string>;
  /** the path prefixes of each of its hosts */
  hosts: Record<string, string[]>;
  /** changes a request, or returns false when the provider rejects it */
  before?(context: Context): boolean;
  /** changes a response to this user */
  after(context: Context, account: Account | undefined): void;
};

const microsoft = "https://login.microsoftonline.com";
const interaction = "/interaction/";
/** accounts whose name Apple has already sent */
const sentNames = new WeakSet<Account>();

/** Changes the callback URL of a redirect. */
function changeCallback(context: Context, change: (values: URLSearchParams) => void): void {
  const location = URL.parse(context.response.get("location"));
  if (!location?.searchParams.has("state")) return;
  change(location.searchParams);
  context.set("location", location.href);
}

const sites: Record<Exclude<SiteName, "github">, Site> = {
  google: {
    issuer: "https://accounts.google.com",
    routes: { authorization: "/o/oauth2/v2/auth", token: "/token", jwks: "/oauth2/v3/certs" },
    hosts: {
      "accounts.google.com": ["/o/oauth2/v2/auth", interaction],
      "oauth2.googleapis.com": ["/token"],
      "www.googleapis.com": ["/oauth2/v3/certs"],
    },
    after: (context) =>
      changeCallback(context, (values) => {
        if (!values.has("code")) return;
        values.set("scope", "email profile openid https://www.googleapis.com/auth/userinfo.email");
        values.set("authuser", "0");
        values.set("prompt", "consent");
      }),
  },
  // Users of every tenant use `common`. Tokens name the tenant, and the issuer in the discovery document is a template.
  microsoft: {
    issuer: `${microsoft}/${microsoftTenant}/v2.0`,
    routes: {
      authorization: "/common/oauth2/v2.0/authorize",
      token: "/common/oauth2/v2.0/token",
      jwks: "/common/discovery/v2.0/keys",
    },
    hosts: { "login.microsoftonline.com": ["/common/", interaction] },
    before(context) {
      context.path = context.path.replace("/common/v2.0/.well-known/", "/.well-known/");
      return true;
    },
    after(context) {
      if (context.path === "/.well-known/openid-configuration") {
        const { authorization_response_iss_parameter_supported: _unknown, ...document } = context.body as object &
          Record<string, unknown>;
        context.body = { ...document, issuer: `${microsoft}/{tenantid}/v2.0` };
      }
      changeCallback(context, (values) => {
        values.delete("iss");
        values.set("session_state", crypto.randomUUID());
      });
    },
  },
  // Apple sends the user's name only once, with the first code. Its page submits both by a form POST.
  apple: {
    issuer: "https://appleid.apple.com",
    routes: { authorization: "/auth/authorize", token: "/auth/token", jwks: "/auth/keys" },
    hosts: { "appleid.apple.com": ["/auth/", interaction] },
    before(context) {
      if (context.path !== "/auth/authorize") return true;
      const { scope, response_mode } = context.query;
      context.query = { ...context.query, scope: `openid ${scope}` };
      return response_mode === "form_post";
    },
    after(context, account) {
      // Changes only the package's page that posts to the callback.
      if (typeof context.body !== "string" || !context.body.includes("Submitting Callback")) return;
      let userField = "";
      if (account && context.body.includes('name="code"') && !sentNames.has(account)) {
        sentNames.add(account);
        const user = JSON.stringify({ name: account.user?.name, email: account.claims?.email });
        userField = `<input type="hidden" name="user" value="${user.replaceAll('"', "&quot;")}"/>`;
      }
      context.body = context.body
        .replace(/<input type="hidden" name="iss"[^>]*>/, userField)
        .replace('value="access_denied"', 'value="user_cancelled_authorize"');
    },
  },
};

/**
 * Creates the site of one provider: the certified package with its login and consent pages, under the provider's hosts.
 */
async function createSite(
  name: Exclude<SiteName, "github">,
  callback: string,
  testUsers: Account[],
): Promise<RequestListener> {
  const { issuer, routes, hosts, before, after } = sites[name];
  const { client_id } = siteClients[name];
  const client = { client_id, client_secret: "secret", redirect_uris: [callback] };
  const find = (subject: string | undefined) => testUsers.find((account) => account.sub === subject);
  const provider = new Provider(issuer, {
    clients: [{ ...client, token_endpoint_auth_method: "client_secret_post" }],
    claims: {
      openid: ["sub", "tid"],
      email: ["email", "email_verified", "is_private_email", "xms_edov"],
      profile: ["name", "given_name", "family_name", "picture"],
    },
    conformIdTokenClaims: false,
    cookies: { keys: ["only for this run of the tests"] },
    findAccount: (_context, id) => {
      const account = find(id);
      return account && { accountId: id, claims: () => ({ sub: account.sub, ...account.claims }) };
    },
    jwks: { keys: [{ ...(await exportJWK(keys.rsa.privateKey)), kid: "k1", alg: "RS256", use: "sig" }] },
    routes,
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  });
  provider.proxy = true;
  if (name === "apple") provider.Client.prototype.compareClientSecret = (secret) => isAppleSecret(secret, client_id);
  provider.use(async (context, next) => {
    const path = hosts[context.hostname]?.find((start) => context.path.startsWith(start));
    if (path === undefined || before?.(context) === false) return;
    await next();
    after(context, find(context.oidc?.account?.accountId));
  });
  return provider.callback();
}

/**
 * Starts the sites of the four providers under their real host names, until `stop`. They respond to a browser launched
 * with `sites`, and to Workers whose outbound requests use this process's `globalThis.fetch`. Users log in with their
 * subject, or at GitHub with their login.
 */
export async function startProviderSites(
  callback: string,
  testUsers: Record<SiteName, Record<string, Account>>,
): Promise<{ sites: Sites; stop(): Promise<void> }> {
  const internet = createInternet();
  const client = { id: siteClients.github.client_id, callback };
  const handlers: Record<string, RequestListener> = {
    "github.com": createGithubSite(client, Object.values(testUsers.github), internet.consent),
  };
  for (const name of ["google", "microsoft", "apple"] as const) {
    const handler = await createSite(name, callback, Object.values(testUsers[name]));
    for (const host of Object.keys(sites[name].hosts)) handlers[host] = handler;
  }
  const read = (name: string) => readFileSync(new URL(`../tls/${name}`, import.meta.url), "utf8");
  const certificate = read("server.pem");
  const server = createServer({ key: read("server.key"), cert: certificate }, (request, response) => {
    const handler = handlers[String(request.headers["x-forwarded-host"] ?? request.headers.host)];
    if (handler) handler(request, response);
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const loopback = globalThis.fetch;
  /** Sends a Worker's request to one of the sites, over TLS to this process. */
  async function call(url: URL, init: RequestInit | undefined): Promise<Response> {
    const { method, headers, body } = new Request(url, init);
    const forwarded = new Headers(headers);
    forwarded.set("x-forwarded-host", url.host);
    return loopback(`https://localhost:${port}${url.pathname}${url.search}`, {
      method,
      headers: forwarded,
      body: body === null ? null : await new Response(body).text(),
      redirect: "manual",
    });
  }
  globalThis.fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (["github.com", "api.github.com", "cloudflare-dns.com"].includes(url.host)) return internet.fetch(input, init);
    return handlers[url.host] ? call(url, init) : loopback(input, init);
  };
  return {
    sites: { hosts: Object.keys(handlers), port, certificate },
    stop: async () => {
      globalThis.fetch = loopback;
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
