import { and, asc, eq, isNull } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { event_log, identities, memberships, personal_access_tokens } from "../../../db/identity/schema";
import { callIdentity, createUser, freshEmail, json, requestLink } from "../../support/identity/identity";
import { createClient, errorOf, google, openSignIn } from "../../support/identity/oauth";
import {
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
