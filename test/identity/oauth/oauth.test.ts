import { and, asc, eq, isNull } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  auth_codes,
  event_log,
  identities,
  memberships,
  oauth_clients,
  oauth_redirects,
  oauth_states,
  personal_access_tokens,
} from "../../../db/identity/schema";
import { challengeOf } from "../../../workers/identity/sign-in/completion/code-challenge";
import { callIdentity, createUser, freshEmail, freshIp, json, requestLink } from "../../support/identity/identity";
import { callback, createClient, errorOf, openSignIn } from "../../support/identity/oauth";
import {
  changeClient,
  changeCompany,
  changeRowsOfCompany,
  changeUser,
  deleteRows,
  findUser,
  findUserByEmail,
  identitiesOf,
  readRows,
  rowsOfCompany,
  storeIdentity,
  storePatRow,
} from "../../support/identity/rows";
import type { Account } from "../../support/sign-in-sites/sign-in-providers";

afterEach(() => vi.unstubAllGlobals());

const html = { accept: "text/html,application/xhtml+xml" };
const codeOf = (text: string) => /data-error-code="([^"]*)"/.exec(text)?.[1];

const google = (email: string, overrides: Record<string, unknown> = {}): Account => ({
  sub: crypto.randomUUID(),
  claims: { email, email_verified: true, given_name: "Ada", ...overrides },
});
/** Returns a Microsoft account whose tenant sends no claim that proves the email address. */
const unproven = (email: string): Account => ({
  sub: crypto.randomUUID(),
  claims: { email, tid: "99999999-8888-7777-6666-555555555555", name: "Ada" },
});

/** Returns the providers that are linked to the user with that address. */
async function linkedTo(email: string): Promise<string[]> {
  const user = await findUserByEmail(email);
  return (await identitiesOf(user?.id ?? 0)).map(({ provider }) => provider);
}

describe("state of an OAuth sign-in", () => {
  it("is valid once, in the browser that started the sign-in, for ten minutes", async () => {
    const { startSignIn, sendCallback, internet, company } = await openSignIn("google");
    const { location, cookie, response } = await startSignIn();
    expect(response.headers.get("set-cookie")).toMatch(
      /^platform_oauth_state_nonce=[A-Za-z0-9_-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=600$/,
    );
    const values = internet.consent(location, google(freshEmail()));
    const foreignCookie = (await startSignIn()).cookie;
    const refusals = [
      await sendCallback(values, ""),
      await sendCallback(values, foreignCookie),
      await sendCallback({ ...values, state: "x".repeat(43) }, cookie),
      await sendCallback({ code: values.code ?? "" }, cookie),
      await sendCallback({ ...values, state: "x".repeat(3000) }, cookie),
    ];
    for (const rejection of refusals) {
      expect([rejection.status, (await rejection.json<{ error_code: string }>()).error_code]).toEqual([
        400,
        "invalid_oauth_state",
      ]);
    }
    const done = await sendCallback(values, cookie);
    expect([done.status, done.headers.get("access-control-allow-origin")]).toEqual([302, null]);
    expect(done.headers.get("referrer-policy")).toBe("no-referrer");
    const replayed = await sendCallback(values, cookie, { ...html, "accept-language": "fr-CA" });
    const page = await replayed.text();
    expect([replayed.status, codeOf(page), page.includes('lang="fr"')]).toEqual([400, "invalid_oauth_state", true]);
    expect(replayed.headers.get("content-security-policy")).toMatch(/form-action 'none'$/);
    expect(replayed.headers.get("referrer-policy")).toBe("no-referrer");

    const expiring = await startSignIn();
    await changeRowsOfCompany(oauth_states, company.id, { expires_at: Date.now() });
    const expired = await sendCallback(internet.consent(expiring.location, google(freshEmail())), expiring.cookie);
    expect(await expired.json()).toMatchObject({ error_code: "invalid_oauth_state" });
    const failures = (await rowsOfCompany(event_log, company.id, asc(event_log.id))).filter(
      ({ outcome }) => outcome === "failure",
    );
    // An unknown state belongs to no company.
    expect(failures).toHaveLength(4);
    expect(JSON.parse(failures[0]?.data ?? "")).toMatchObject({
      provider: "google",
      failure_reason: "invalid_oauth_state",
    });
  });

  it("accepts one of 50 parallel callbacks, with one token exchange at the provider", async () => {
    const { startSignIn, sendCallback, internet, company } = await openSignIn("google");
    const { location, cookie } = await startSignIn();
    const values = internet.consent(location, google(freshEmail()));
    const responses = await Promise.all(Array.from({ length: 50 }, () => sendCallback(values, cookie)));
    expect(responses.map((response) => response.status).sort()).toEqual([
      302,
      ...Array.from({ length: 49 }, () => 400),
    ]);
    expect(internet.state.requests.filter((request) => request.url.endsWith("/token"))).toHaveLength(1);
    expect(await rowsOfCompany(auth_codes, company.id)).toHaveLength(1);
  });

  it("encrypts its secrets, and sets a prefixed, secure cookie on https", async () => {
    const { bindings, startSignIn, company } = await openSignIn("google");
    const { location } = await startSignIn();
    const { searchParams } = new URL(location);
    const [row] = await rowsOfCompany(oauth_states, company.id);
    const text = JSON.stringify(row);
    for (const name of ["state", "nonce", "code_challenge"]) expect(text).not.toContain(searchParams.get(name));
    const query = new URLSearchParams({
      company_id: String(company.id),
      redirect_to: company.origin,
      provider: "google",
    });
    const secure = await callIdentity(bindings, `/api/v1/authorize?${query}`, {}, "https://auth.example.com");
    expect(secure.headers.get("set-cookie")).toMatch(
      /^__Host-platform_oauth_state_nonce=[A-Za-z0-9_-]{43}; HttpOnly; SameSite=Lax; Path=\/; Secure; Max-Age=600$/,
    );
  });

  it("lets two tabs of one browser sign in at the same time", async () => {
    const { authorize, sendCallback, internet, startSignIn } = await openSignIn("google");
    const { location, cookie } = await startSignIn();
    const second = await authorize({}, { headers: { cookie } });
    expect(second.headers.get("set-cookie")).toContain(cookie);
    const other = internet.consent(second.headers.get("location") ?? "", google(freshEmail()));
    expect((await sendCallback(other, cookie)).status).toBe(302);
    expect((await sendCallback(internet.consent(location, google(freshEmail())), cookie)).status).toBe(302);
  });
});

describe("GET /authorize", () => {
  it("returns 400 for errors found before the redirect is checked, and redirects with the code of later errors", async () => {
    const { authorize, company, client, bindings } = await openSignIn("google");
    for (const [query, code] of [
      [{ company_id: "" }, "validation_failed"],
      [{ company_id: "0" }, "validation_failed"],
      [{ redirect_to: "" }, "validation_failed"],
      [{ redirect_to: "javascript:alert(1)" }, "validation_failed"],
      [{ token_delivery: "fragment" }, "validation_failed"],
      [{ token_delivery: "cookie" }, "validation_failed"],
      [{ code_challenge: "short" }, "validation_failed"],
      [{ code_challenge_method: "S256" }, "validation_failed"],
      [{ code_challenge_method: "plain", code_challenge: "x".repeat(43) }, "validation_failed"],
      [{ client_timezone: "<>" }, "validation_failed"],
      [{ switch_account: "yes" }, "validation_failed"],
      [{ redirect_to: "https://evil.example/" }, "redirect_not_allowed"],
      [{ redirect_to: `${company.origin}.evil.example/` }, "redirect_not_allowed"],
      [{ company_id: "99999999" }, "redirect_not_allowed"],
    ] as [Record<string, string>, string][]) {
      const response = await authorize(query);
      expect([query, response.status, (await response.json<{ error_code: string }>()).error_code]).toEqual([
        query,
        400,
        code,
      ]);
      const page = await authorize(query, { headers: html });
      expect([page.status, codeOf(await page.text())]).toEqual([400, code]);
    }
    const missing = await callIdentity(bindings, "/api/v1/authorize");
    expect(await missing.json()).toMatchObject({ field_errors: { company_id: ["required"] } });
    for (const [query, code] of [
      [{ provider: "github" }, "provider_disabled"],
      [{ provider: "nonsense" }, "provider_disabled"],
      [{ company_id: "99999999", redirect_to: "http://localhost:1/x?a=1" }, "provider_disabled"],
      [{ company_oauth_client_id: crypto.randomUUID() }, "oauth_client_unavailable"],
    ] as [Record<string, string>, string][]) {
      const location = new URL((await authorize(query)).headers.get("location") ?? "");
      expect([query, errorOf(location)]).toEqual([query, code]);
      expect(location.searchParams.get("platform_oauth_error")).toMatch(/^[A-Z].*\.$/);
    }
    const companyProvider = await authorize({ company_oauth_client_id: client });
    expect(companyProvider.headers.get("location")).toMatch(/^https:\/\/accounts\.google\.com\//);
    await changeCompany(company.id, { is_active: false });
    expect(errorOf(new URL((await authorize()).headers.get("location") ?? ""))).toBe("provider_disabled");
  });

  it("counts requests by client address together with the callback and the redeem request", async () => {
    const { bindings, company } = await openSignIn("google", { vars: { AUTH_RATE_LIMIT_OAUTH: "2/min" } });
    const ip = freshIp();
    const query = new URLSearchParams({ company_id: String(company.id), redirect_to: company.origin });
    expect((await callIdentity(bindings, `/api/v1/authorize?${query}`, { ip })).status).toBe(200);
    expect((await callIdentity(bindings, callback, { ip })).status).toBe(400);
    const response = await callIdentity(bindings, `/api/v1/authorize?${query}`, { ip, headers: html });
    expect([response.status, codeOf(await response.text())]).toEqual([429, "rate_limited"]);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    const session = await callIdentity(bindings, "/api/v1/oauth/session", { ip, ...json({ auth_code: "x" }) });
    expect(session.status).toBe(429);
  });
});

describe("callback of the provider", () => {
  it("delivers tokens in the fragment if the deployment is configured so, and a code if the application requests it", async () => {
    const { run } = await openSignIn("google", { vars: { OAUTH_TOKEN_DELIVERY: "fragment" } });
    const location = await run(google(freshEmail()));
    expect(location.hash).toMatch(
      /^#access_token=[^&]+&refresh_token=prt_[^&]+&token_type=bearer&expires_at=\d+&expires_in=300&provider=google$/,
    );
    const coded = await run(google(freshEmail()), { query: { token_delivery: "code" } });
    expect([coded.hash, coded.searchParams.has("platform_auth_code")]).toEqual(["", true]);
  });

  it("keeps the query of the redirect, and binds the code to the application's challenge", async () => {
    const { run, redeem, company } = await openSignIn("google");
    const verifier = "v".repeat(43);
    const redirect_to = `${company.origin}/cb?next=%2Fhome&platform_oauth_error_code=old`;
    const query = { redirect_to, code_challenge: await challengeOf(verifier), code_challenge_method: "S256" };
    const location = await run(google(freshEmail()), { query });
    expect([...location.searchParams.keys()]).toEqual(["next", "platform_auth_code"]);
    expect(await (await redeem(location, { redirect_to })).json()).toMatchObject({
      error_code: "code_verifier_required",
    });
    expect((await redeem(location, { redirect_to, code_verifier: verifier })).status).toBe(200);
  });

  it("checks the allowlist again at the callback and when the code is redeemed", async () => {
    const { startSignIn, sendCallback, internet, company, run, redeem } = await openSignIn("google");
    const { location, cookie } = await startSignIn();
    const done = await run(google(freshEmail()));
    await changeRowsOfCompany(oauth_redirects, company.id, { is_active: false });
    const response = await sendCallback(internet.consent(location, google(freshEmail())), cookie);
    expect([response.status, (await response.json<{ error_code: string }>()).error_code]).toEqual([
      400,
      "redirect_not_allowed",
    ]);
    expect(await (await redeem(done)).json()).toMatchObject({ error_code: "redirect_not_allowed" });
    await changeRowsOfCompany(oauth_redirects, company.id, { is_active: true });
    expect((await redeem(done)).status).toBe(200);
  });

  it("accepts form posts only from Apple", async () => {
    const { startSignIn, bindings } = await openSignIn("google");
    const state = new URL((await startSignIn()).location).searchParams.get("state") ?? "";
    const post = (body: string, type = "application/x-www-form-urlencoded") =>
      callIdentity(bindings, callback, { method: "POST", body, headers: { "content-type": type } });
    const response = await post(new URLSearchParams({ state, code: "x" }).toString());
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect(await (await post("state=unknown&code=x")).json()).toMatchObject({ error_code: "invalid_oauth_state" });
    expect((await post("{}", "application/json")).status).toBe(415);
    expect((await post(`state=${"x".repeat(70_000)}`)).status).toBe(413);
  });

  it("rejects the callback when the client was deleted or disabled in the meantime", async () => {
    const { startSignIn, sendCallback, internet, client } = await openSignIn("google");
    const finish = async () => {
      const { location, cookie } = await startSignIn();
      const values = internet.consent(location, google(freshEmail()));
      return { values, cookie };
    };
    const first = await finish();
    const second = await finish();
    await changeClient(client, { is_active: false });
    const whileInactive = await sendCallback(first.values, first.cookie);
    expect(errorOf(new URL(whileInactive.headers.get("location") ?? ""))).toBe("provider_disabled");
    await deleteRows(oauth_clients, eq(oauth_clients.id, client));
    const removedClient = await sendCallback(second.values, second.cookie);
    expect(errorOf(new URL(removedClient.headers.get("location") ?? ""))).toBe("oauth_client_unavailable");
  });
});

describe("admission of provider accounts", () => {
  it("creates one account for 20 parallel sign-ins of one new user", async () => {
    const { run, company } = await openSignIn("google");
    const account = google(freshEmail());
    const ends = await Promise.all(Array.from({ length: 20 }, () => run(account)));
    expect(ends.filter((end) => end.searchParams.has("platform_auth_code"))).toHaveLength(20);
    expect(await rowsOfCompany(memberships, company.id)).toHaveLength(1);
    expect(await readRows(identities, eq(identities.subject, account.sub))).toHaveLength(1);
  });

  it("creates the account for one of several parallel unproven users with the same new address, and rejects the others", async () => {
    for (const access_mode of ["public", "invite"] as const) {
      const { run, company } = await openSignIn("microsoft", { company: { access_mode } });
      const email = freshEmail();
      const ends = await Promise.all(Array.from({ length: 10 }, () => run(unproven(email))));
      expect(await linkedTo(email)).toHaveLength(1);
      const codes = ends.filter((end) => end.searchParams.has("platform_auth_code"));
      expect(codes).toHaveLength(access_mode === "public" ? 1 : 0);
      expect(await rowsOfCompany(memberships, company.id)).toHaveLength(1);
    }
  });

  it("stores a pending user with the provider's account once, and admits them when an administrator allows access", async () => {
    const { run, company } = await openSignIn("microsoft", { company: { access_mode: "invite" } });
    const account = unproven(freshEmail());
    for (let tries = 0; tries < 2; tries++) expect(errorOf(await run(account))).toBe("access_pending");
    const waiting = await rowsOfCompany(memberships, company.id);
    expect(waiting).toMatchObject([{ state: "pending", state_reason: "join_rule" }]);
    expect(await findUser(waiting[0]?.user_id ?? 0)).toMatchObject({ email_verified_at: null });
    const events = (await rowsOfCompany(event_log, company.id, asc(event_log.event_type))).filter(
      ({ outcome }) => outcome === null,
    );
    expect(events.map(({ event_type }) => event_type)).toEqual([
      "identity.membership.requested",
      "identity.user.created",
    ]);
    await changeRowsOfCompany(memberships, company.id, { state: "allowed", state_reason: "admin" });
    expect((await run(account)).searchParams.has("platform_auth_code")).toBe(true);
  });

  it("admits by the company's domain when the address is proven or the provider belongs to the company", async () => {
    const company = { access_mode: "domain" as const, domains: ["corp.example"] };
    const email = () => freshEmail("eu.corp.example");
    const microsoft = await openSignIn("microsoft", { company });
    expect(errorOf(await microsoft.run(unproven(email())))).toBe("access_denied");
    const companyProvider = await openSignIn("oidc", { company });
    expect(
      (await companyProvider.run({ sub: "1", claims: { email: email() } })).searchParams.has("platform_auth_code"),
    ).toBe(true);
    const proven = await openSignIn("google", { company });
    expect((await proven.run(google(email()))).searchParams.has("platform_auth_code")).toBe(true);
    expect(errorOf(await proven.run(google(freshEmail("corp.example.evil.example"))))).toBe("access_denied");
  });

  it("rejects a disabled account, a denied member, and staff without a membership", async () => {
    const { run, company } = await openSignIn("google");
    const cases = [
      [{ active: false, company: company.id }, "access_denied"],
      [{ company: company.id, state: "denied", reason: "admin" }, "access_denied"],
      [{ company: company.id, state: "pending", reason: "admin" }, "access_pending"],
      [{ staff: true }, "access_denied"],
    ] as const;
    for (const [overrides, code] of cases) {
      const email = freshEmail();
      const id = await createUser({ email, ...overrides });
      expect(errorOf(await run(google(email)))).toBe(code);
      expect(await identitiesOf(id)).toEqual([]);
    }
    const email = freshEmail();
    await createUser({ email, company: company.id, staff: true });
    expect((await run(google(email))).searchParams.has("platform_auth_code")).toBe(true);
  });

  it("does not accept the provider's address as proof once the account has a different address", async () => {
    const { run, signInAs, company } = await openSignIn("google", {
      company: { access_mode: "domain", domains: ["corp.example"] },
    });
    const account = google(freshEmail("corp.example"));
    const { claims } = await signInAs(account);
    await deleteRows(memberships, eq(memberships.company_id, company.id));
    await changeUser(Number(claims.user_id), { email: freshEmail("corp.example") });
    expect(errorOf(await run(account))).toBe("access_denied");
  });
});

describe("first proof of an address", () => {
  it("ends the identity and sessions of an unproven provider account, but keeps those of a company's own provider", async () => {
    const plantedFlow = await openSignIn("microsoft");
    const email = freshEmail();
    const attacker = unproven(email);
    const { tokens, claims } = await plantedFlow.signInAs(attacker);
    const companyProvider = await openSignIn("oidc");
    const userId = Number(claims.user_id);
    const companyIdentity = {
      provider: "oidc",
      issuer: "https://id.acme.example",
      subject: "kept",
      company_id: companyProvider.company.id,
    };
    await storeIdentity({ id: userId, email }, { ...companyIdentity, email_proven: false });
    const companySession = await companyProvider.signInAs({ sub: "kept", claims: { email } });

    for (const { id } of [plantedFlow.company, companyProvider.company]) {
      await storePatRow(id, userId, { expires_at: 9e15 });
    }

    const { token } = await requestLink(plantedFlow.bindings, plantedFlow.mailbox, plantedFlow.company, email);
    const body = { token, company_id: plantedFlow.company.id };
    expect((await callIdentity(plantedFlow.bindings, "/api/v1/magic-link/verify", json(body))).status).toBe(200);

    expect((await identitiesOf(userId)).map(({ provider }) => provider)).toEqual(["oidc"]);
    const pats = personal_access_tokens;
    const live = await readRows(pats, and(eq(pats.user_id, userId), isNull(pats.revoked_at)));
    expect(live.map(({ company_id }) => company_id)).toEqual([companyProvider.company.id]);
    const refresh = (refresh_token: string) =>
      callIdentity(plantedFlow.bindings, "/api/v1/token", json({ grant_type: "refresh_token", refresh_token }));
    expect(await (await refresh(tokens.refresh_token)).json()).toMatchObject({ error_code: "token_invalid" });
    expect((await refresh(companySession.tokens.refresh_token)).status).toBe(200);
    vi.stubGlobal("fetch", plantedFlow.internet.fetch);
    expect(errorOf(await plantedFlow.run(attacker))).toBe("oauth_email_unverified");
  });

  it("ends unproven identities when a provider proves the address, and ends nothing at a later proof", async () => {
    const plantedFlow = await openSignIn("microsoft");
    const email = freshEmail();
    await plantedFlow.signInAs(unproven(email));
    await createClient(plantedFlow.company.id, "google");
    const viaGoogle = await plantedFlow.run(google(email), { query: { provider: "google" } });
    expect(viaGoogle.searchParams.has("platform_auth_code")).toBe(true);
    expect(await linkedTo(email)).toEqual(["google"]);
    const { token } = await requestLink(plantedFlow.bindings, plantedFlow.mailbox, plantedFlow.company, email);
    const body = { token, company_id: plantedFlow.company.id };
    await callIdentity(plantedFlow.bindings, "/api/v1/magic-link/verify", json(body));
    expect(await linkedTo(email)).toEqual(["google"]);
  });
});
