import { afterEach, describe, expect, it, vi } from "vitest";
import { memberships, oauth_states } from "../../../db/identity/schema";
import { createUser, freshEmail } from "../../support/identity/identity";
import { errorOf, openSignIn } from "../../support/identity/oauth";
import {
  changeClient,
  changeUser,
  entriesOf,
  findUser,
  findUserByEmail,
  identitiesOf,
  rowsOfCompany,
  totalsOf,
} from "../../support/identity/rows";
import { type Account, keys } from "../../support/sign-in-sites/sign-in-providers";

afterEach(() => vi.unstubAllGlobals());

const tenant = "99999999-8888-7777-6666-555555555555";
const accountOf = {
  google: (email: string): Account => ({
    sub: crypto.randomUUID(),
    claims: {
      email,
      email_verified: true,
      given_name: "Ada",
      family_name: "Lovelace",
      picture: "https://x.example/a.png",
    },
  }),
  github: (email: string): Account => ({
    sub: String(Math.floor(Math.random() * 1e9) + 1),
    user: {
      name: "Ada Lovelace",
      avatar_url: "https://avatars.example/1",
      emails: [
        { email: "other@example.com", primary: false, verified: true },
        { email, primary: true, verified: true },
      ],
    },
  }),
  microsoft: (email: string): Account => ({
    sub: crypto.randomUUID(),
    claims: { email, xms_edov: true, tid: tenant, name: "Ada Lovelace" },
  }),
  apple: (email: string): Account => ({ sub: crypto.randomUUID(), claims: { email, email_verified: "true" } }),
  oidc: (email: string): Account => ({
    sub: crypto.randomUUID(),
    claims: { email, email_verified: true, name: "Ada Lovelace" },
  }),
};
type Name = keyof typeof accountOf;
const names = Object.keys(accountOf) as Name[];

it.each([
  [{ given_name: "\u202eadA", family_name: "Love\u200blace" }, "adA Lovelace"],
  [{ name: "Ada https://evil.example/x" }, "Ada https evil example x"],
  [{ given_name: "\u2066", family_name: "www.evil.example" }, "www evil example"],
])("sanitizes an unsafe name of a provider: %j", async (names, safeName) => {
  const { signInAs } = await openSignIn("google");
  const claims = { email: freshEmail(), email_verified: true, ...names };
  const signedIn = await signInAs({ sub: crypto.randomUUID(), claims });
  expect(signedIn.claims).toMatchObject({ user_metadata: { name: safeName } });
});

describe.each(names)("sign-in by %s", (name) => {
  it("creates an account, signs the same user in again, and counts and records both", async () => {
    const { company, run, redeem, signInAs, providerId } = await openSignIn(name);
    const email = freshEmail();
    const account = accountOf[name](email.toUpperCase());
    const values =
      name === "apple" ? { user: JSON.stringify({ name: { firstName: "Ada", lastName: "Lovelace" } }) } : {};
    const first = await redeem(await run(account, { values }));
    expect(first.status).toBe(200);
    expect(await first.json()).toMatchObject({ provider: providerId, token_type: "bearer", expires_in: 300 });
    const { claims } = await signInAs(account);
    expect(claims).toMatchObject({
      email,
      company_id: company.id,
      app_metadata: { provider: providerId },
      user_metadata: { name: "Ada Lovelace" },
    });
    const user = await findUserByEmail(email);
    expect(user?.email_verified_at !== null).toBe(name !== "oidc");
    expect(user?.avatar_url === null).toBe(!["google", "github"].includes(name));
    const linked = await identitiesOf(user?.id ?? 0);
    expect(linked.map(({ provider, company_id }) => ({ provider, company_id }))).toEqual([
      { provider: name, company_id: name === "oidc" ? company.id : 0 },
    ]);
    const logins = { name: "successful_logins", label: providerId, value: 2 };
    expect(await totalsOf(company.id, logins.name)).toEqual([logins]);
    const events = await entriesOf(company.id);
    expect(events.map((event) => event.event_type)).toEqual([
      "identity.user.created",
      "identity.auth.login.succeeded",
      "identity.auth.login.succeeded",
    ]);
    expect(JSON.parse(events[0]?.data ?? "")).toMatchObject({ source: "oauth", oauth_provider: providerId, email });
    expect(events[1]?.provider).toBe(providerId);
  });

  it("sends PKCE, nonce and the callback to the provider, and follows no redirect", async () => {
    const { startSignIn, run, internet } = await openSignIn(name);
    const { location, response } = await startSignIn({ switch_account: "1" });
    const { searchParams } = new URL(location);
    expect(response.status).toBe(302);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(searchParams.get("redirect_uri")).toBe("http://localhost:8787/identity/api/v1/oauth/callback");
    expect(searchParams.get("response_type")).toBe("code");
    expect(searchParams.get("state")).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(searchParams.has("nonce")).toBe(name !== "github");
    expect(searchParams.get("code_challenge_method")).toBe(name === "apple" ? null : "S256");
    expect(searchParams.get("prompt")).toBe(name === "apple" ? null : name === "oidc" ? "login" : "select_account");
    expect(searchParams.get("response_mode")).toBe({ apple: "form_post", microsoft: "query" }[name as string] ?? null);
    await run(accountOf[name](freshEmail()));
    expect(internet.state.requests.length).toBeGreaterThan(0);
    for (const request of internet.state.requests) {
      expect([request.url.startsWith("https://"), request.redirect]).toEqual([true, "manual"]);
    }
  });

  it("links by the proven address, and rejects an unproven address that belongs to an account", async () => {
    const { company, run, signInAs } = await openSignIn(name);
    const email = freshEmail();
    const id = await createUser({ email, company: company.id });
    const unproven = unprovenAccount(name, email);
    expect(errorOf(await run(unproven))).toBe("oauth_email_unverified");
    expect(await identitiesOf(id)).toEqual([]);
    if (name === "oidc") return;
    const { claims } = await signInAs(accountOf[name](email));
    expect(claims.user_id).toBe(String(id));
    expect(claims).toMatchObject({ user_metadata: { name: "Mina" } });
    expect((await findUser(id))?.email_verified_at).toEqual(expect.any(Number));
  });

  it("rejects a user without an address", async () => {
    const { run } = await openSignIn(name);
    const account = accountOf[name](freshEmail());
    const withoutEmail = { sub: account.sub, claims: { tid: tenant }, user: { emails: [] } };
    expect(errorOf(await run(withoutEmail))).toBe("oauth_email_missing");
  });

  it("reports sign-in as disabled without a client of the provider, and as unavailable with an incomplete client", async () => {
    const { company, client, startSignIn } = await openSignIn(name);
    await changeClient(client, { secret_sealed: null });
    expect(errorOf(new URL((await startSignIn()).location))).toBe("oauth_client_unavailable");
    await changeClient(client, { is_active: false });
    expect(errorOf(new URL((await startSignIn()).location))).toBe("provider_disabled");
    expect(await rowsOfCompany(oauth_states, company.id)).toEqual([]);
  });

  it("reports a provider that is unreachable, rejects the code, or returns an invalid response", async () => {
    const { startSignIn, sendCallback, sendFormPost, internet } = await openSignIn(name);
    const finish = async (values: (location: string) => Record<string, string>) => {
      const { location, cookie } = await startSignIn();
      const iss: Record<string, string> = name === "oidc" ? { iss: "https://id.acme.example" } : {};
      const callbackValues = { ...values(location), ...iss };
      const response =
        name === "apple"
          ? (await sendFormPost(callbackValues, cookie)).finished
          : await sendCallback(callbackValues, cookie);
      return errorOf(new URL(response.headers.get("location") ?? "http://none"));
    };
    const state = (location: string) => new URL(location).searchParams.get("state") ?? "";
    expect(await finish((location) => ({ state: state(location), error: "access_denied" }))).toBe(
      "oauth_provider_denied",
    );
    expect(await finish((location) => ({ state: state(location) }))).toBe("missing_code");
    expect(await finish((location) => ({ state: state(location), code: "made-up" }))).toBe("token_exchange_failed");
    const account = accountOf[name](freshEmail());
    const token = {
      google: "https://oauth2.googleapis.com/token",
      github: "https://github.com/login/oauth/access_token",
      microsoft: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
      apple: "https://appleid.apple.com/auth/token",
      oidc: "https://id.acme.example/token",
    }[name];
    for (const response of [
      () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      () => Response.json({ access_token: 7 }),
      () => new Response(null, { status: 302, headers: { location: "https://evil.example/" } }),
      () => new Response(`{"access_token":"${"x".repeat(1_100_000)}"}`),
      () => new Response(null, { status: 500 }),
    ]) {
      internet.state.answers.set(token, response);
      expect(await finish((location) => internet.consent(location, account))).toBe("token_exchange_failed");
    }
    expect(internet.state.requests.some((request) => request.url.includes("evil.example"))).toBe(false);
    internet.state.answers.clear();
    const keysAt = {
      google: "https://www.googleapis.com/oauth2/v3/certs",
      github: "https://api.github.com/user/emails",
      microsoft: "https://login.microsoftonline.com/common/discovery/v2.0/keys",
      apple: "https://appleid.apple.com/auth/keys",
      oidc: "https://id.acme.example/jwks",
    }[name];
    internet.state.answers.set(keysAt, () => Promise.reject(new TypeError("connection reset")));
    expect(await finish((location) => internet.consent(location, account))).toBe("oauth_identity_failed");
    internet.state.answers.clear();
    const started = await startSignIn();
    internet.state.down.add(new URL(token).hostname);
    const callbackValues = {
      ...internet.consent(started.location, account),
      ...(name === "oidc" ? { iss: "https://id.acme.example" } : {}),
    };
    const duringOutage =
      name === "apple"
        ? (await sendFormPost(callbackValues, started.cookie)).finished
        : await sendCallback(callbackValues, started.cookie);
    expect(errorOf(new URL(duringOutage.headers.get("location") ?? "http://none"))).toBe("token_exchange_failed");
  });
});

function unprovenAccount(name: Name, email: string): Account {
  const account = accountOf[name](email);
  switch (name) {
    case "github":
      return { ...account, user: { ...account.user, emails: [{ email, primary: true, verified: false }] } };
    case "microsoft":
      return { ...account, claims: { ...account.claims, xms_edov: undefined } };
    default:
      return { ...account, claims: { ...account.claims, email_verified: false } };
  }
}

describe.each(["google", "microsoft", "apple", "oidc"] as const)("ID token of %s", (name) => {
  it("rejects an ID token that is expired, lacks a claim, or has another key, audience, issuer, nonce or azp", async () => {
    const { run, internet, company } = await openSignIn(name);
    const account = accountOf[name](freshEmail());
    const past = Math.floor(Date.now() / 1000) - 3600;
    for (const claims of [
      { aud: "somebody-else" },
      { aud: ["somebody-else"] },
      { iss: "https://evil.example" },
      { nonce: "another" },
      { nonce: undefined },
      { exp: past },
      { exp: undefined },
      { sub: "" },
      { azp: "somebody-else" },
    ]) {
      internet.state.claims = claims;
      expect([claims, errorOf(await run(account))]).toEqual([claims, "oauth_id_token_invalid"]);
    }
    internet.state.claims = {};
    internet.state.signer = keys.stranger.privateKey;
    expect(errorOf(await run(account))).toBe("oauth_id_token_invalid");
    expect(await rowsOfCompany(memberships, company.id)).toEqual([]);
    internet.state.signer = keys.rsa.privateKey;
    expect((await run(account)).searchParams.has("platform_auth_code")).toBe(true);
  });
});

describe("Microsoft", () => {
  it("accepts any tenant's issuer at the shared endpoint, and only the configured tenant at its own endpoint", async () => {
    const { run } = await openSignIn("microsoft", { config: { tenant: "contoso.example" } });
    const foreign = accountOf.microsoft(freshEmail());
    expect(errorOf(await run(foreign))).toBe("oauth_id_token_invalid");
    const companyTenant = { ...foreign, claims: { ...foreign.claims, tid: "11111111-2222-3333-4444-555555555555" } };
    expect((await run(companyTenant)).searchParams.has("platform_auth_code")).toBe(true);
    const shared = await openSignIn("microsoft");
    for (const tid of [undefined, "common", "{tenantid}", "../x"]) {
      const withWrongTenant = { ...foreign, claims: { ...foreign.claims, tid } };
      expect(errorOf(await shared.run(withWrongTenant))).toBe("oauth_id_token_invalid");
    }
  });
});

describe("Apple", () => {
  it("stores the form post in the state, and lets only the browser with the cookie continue", async () => {
    const { startSignIn, sendFormPost, internet, company } = await openSignIn("apple");
    const { location, cookie } = await startSignIn();
    const callbackValues = internet.consent(location, accountOf.apple(freshEmail()));
    const foreignCallback = await sendFormPost(callbackValues, "");
    expect(foreignCallback.posted.status).toBe(303);
    expect(foreignCallback.posted.headers.get("location")).toBe(`?state=${callbackValues.state}`);
    expect(await foreignCallback.finished.json()).toMatchObject({ error_code: "invalid_oauth_state" });
    const [stored] = await rowsOfCompany(oauth_states, company.id);
    expect(stored?.sealed).not.toContain(callbackValues.code ?? "-");
    // A second post for the same state is rejected and does not replace the first one.
    const repeated = await sendFormPost({ ...callbackValues, code: "planted" }, cookie);
    expect(repeated.posted.status).toBe(400);
  });

  it("continues after the form post when the browser follows the redirect", async () => {
    const { startSignIn, sendFormPost, internet } = await openSignIn("apple");
    const { location, cookie } = await startSignIn();
    const { finished } = await sendFormPost(internet.consent(location, accountOf.apple(freshEmail())), cookie);
    expect(new URL(finished.headers.get("location") ?? "").searchParams.has("platform_auth_code")).toBe(true);
  });

  it("returns token_exchange_failed when the key settings are invalid", async () => {
    const { run, client } = await openSignIn("apple");
    await changeClient(client, { config: { team_id: "OTHER", key_id: "KEY1234567" } });
    expect(errorOf(await run(accountOf.apple(freshEmail())))).toBe("token_exchange_failed");
  });
});

describe("generic OpenID provider", () => {
  it("signs users in only to its own company, and rejects staff accounts", async () => {
    const { company, signInAs, run, internet } = await openSignIn("oidc");
    const email = freshEmail();
    const account = accountOf.oidc(email);
    const { claims } = await signInAs(account);
    const other = await openSignIn("oidc");
    expect(errorOf(await other.run(account))).toBe("oauth_email_unverified");
    vi.stubGlobal("fetch", internet.fetch);
    await changeUser(Number(claims.user_id), { is_staff: true });
    expect(errorOf(await run(account))).toBe("access_denied");
    const failures = (await entriesOf(company.id)).filter(({ outcome }) => outcome === "failure");
    expect(failures).toHaveLength(1);
  });

  it("rejects a provider with a private address, and a response without issuer or with another issuer", async () => {
    const { startSignIn, sendCallback, internet } = await openSignIn("oidc");
    const account = accountOf.oidc(freshEmail());
    for (const address of ["10.0.0.1", "169.254.169.254", "127.0.0.1"]) {
      internet.state.addresses.set("id.acme.example", address);
      expect(errorOf(new URL((await startSignIn()).location))).toBe("oauth_client_unavailable");
    }
    internet.state.addresses.clear();
    for (const iss of [{}, { iss: "https://accounts.google.com" }] as Record<string, string>[]) {
      const { location, cookie } = await startSignIn();
      const response = await sendCallback({ ...internet.consent(location, account), ...iss }, cookie);
      expect(errorOf(new URL(response.headers.get("location") ?? ""))).toBe("token_exchange_failed");
    }
    expect(internet.state.requests.some((request) => request.url.endsWith("/token"))).toBe(false);
  });

  it("makes the client unavailable when the discovery document names another issuer or an endpoint without https", async () => {
    const { startSignIn, internet } = await openSignIn("oidc");
    const discoveryUrl = "https://id.acme.example/.well-known/openid-configuration";
    const good = {
      issuer: "https://id.acme.example",
      authorization_endpoint: "https://id.acme.example/auth",
      token_endpoint: "https://id.acme.example/token",
      jwks_uri: "https://id.acme.example/jwks",
    };
    for (const change of [
      { issuer: "https://evil.example" },
      { authorization_endpoint: "javascript:alert(1)" },
      { token_endpoint: "http://id.acme.example/token" },
      { jwks_uri: undefined },
    ]) {
      internet.state.answers.set(discoveryUrl, () => Response.json({ ...good, ...change }));
      expect([change, errorOf(new URL((await startSignIn()).location))]).toEqual([change, "oauth_client_unavailable"]);
    }
  });
});
