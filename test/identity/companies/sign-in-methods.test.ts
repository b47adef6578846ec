import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { personal_access_tokens, sessions } from "../../../db/identity/schema";
import {
  callAs,
  changesOf,
  createPat,
  createTestUser,
  expectAdminsOnly,
  refusalOf,
  type TestUser,
} from "../../support/identity/admin";
import { callIdentity, createCompany, createMailbox, freshIp, identityEnv } from "../../support/identity/identity";
import { changeCompany, changeMemberships, updateRows } from "../../support/identity/rows";

const methodsPath = "/api/v1/auth-methods";
const off = identityEnv(createMailbox(), { MAGIC_LINK_ENABLED: "false" });
const nothing = { methods: [], oauthProviders: [], enable_oauth: false, enable_magic_link: false, sign_in_code: false };
const github = { provider: "github", client_id: "Iv1.client-id-of-github", client_secret: "s" };
const google = { provider: "google", client_id: "client-id-of-google", client_secret: "s", label: "Google" };

let company: { id: number; origin: string };
let owner: TestUser;

beforeEach(async () => {
  company = await createCompany();
  owner = await createTestUser(company, { owner: true });
});

async function addClient(body: Record<string, unknown>): Promise<string> {
  const response = await callAs(owner.bearer, "POST", "/api/v1/oauth-clients", body);
  expect(response.status).toBe(201);
  return (await response.json<{ id: string }>()).id;
}

const settingsOf = async (
  bearer: string | null = null,
  query = `?company_id=${company.id}`,
  env = identityEnv(createMailbox()),
) => (await callAs(bearer, "GET", `/api/v1/settings${query}`, undefined, env)).json<Record<string, unknown>>();

describe("public sign-in settings", () => {
  it("public sign-in settings list the methods that work and the providers of active, complete clients, without client ids or secrets", async () => {
    expect(await settingsOf()).toEqual({
      ...nothing,
      methods: ["magic_link"],
      enable_magic_link: true,
      sign_in_code: true,
      magic_link_ttl_seconds: 1800,
    });
    await addClient(google);
    await addClient(github);
    await addClient({ provider: "microsoft", client_id: "m" });
    await addClient({ provider: "apple", client_id: "a", team_id: "T", key_id: "K", is_active: false });
    const shown = await settingsOf();
    expect(shown).toEqual({
      methods: ["magic_link", "oauth"],
      oauthProviders: ["github", "google"],
      enable_oauth: true,
      enable_magic_link: true,
      sign_in_code: true,
      magic_link_ttl_seconds: 1800,
    });
    const member = await createTestUser(company);
    expect(JSON.stringify([shown, await settingsOf(member.bearer)])).not.toContain("client-id-of");
  });

  it("public sign-in settings show a member the clients, by a session or a read-only token of their company", async () => {
    const googleId = await addClient(google);
    const githubId = await addClient(github);
    const member = await createTestUser(company);
    const expected = {
      oauthClients: [
        { id: githubId, provider: "github", label: "" },
        { id: googleId, provider: "google", label: "Google" },
      ],
      external: { github: true, google: true },
    };
    for (const bearer of [member.bearer, await createPat(company, member, true)]) {
      expect(await settingsOf(bearer)).toMatchObject(expected);
      expect(await settingsOf(bearer, "")).toMatchObject(expected);
    }
    const other = await createCompany();
    const staff = await createTestUser(other, { staff: true });
    expect(await settingsOf(staff.bearer)).toMatchObject(expected);
    const stranger = await createTestUser(other);
    expect(await settingsOf(stranger.bearer)).not.toHaveProperty("oauthClients");
    expect(await settingsOf(stranger.bearer, "")).toMatchObject({ oauthClients: [], external: {} });
  });

  it("public sign-in settings ignore a stale, bad or pending bearer and then require company_id", async () => {
    await addClient(google);
    const [pending, loggedOut, revoked] = await Promise.all([
      createTestUser(company),
      createTestUser(company),
      createTestUser(company),
    ]);
    const pat = await createPat(company, revoked, false);
    await changeMemberships(pending.id, { state: "pending" });
    await updateRows(sessions, { revoked_at: 1 }, eq(sessions.user_id, loggedOut.id));
    await updateRows(personal_access_tokens, { revoked_at: 1 }, eq(personal_access_tokens.user_id, revoked.id));
    const shown = await settingsOf();
    for (const bearer of ["nonsense", "a.b.c", pending.bearer, loggedOut.bearer, pat]) {
      expect(await settingsOf(bearer)).toEqual(shown);
      expect(await refusalOf(callAs(bearer, "GET", "/api/v1/settings"))).toBe(
        '400 validation_failed {"company_id":["required"]}',
      );
    }
    for (const query of ["?company_id=", "?company_id=0", "?company_id=1.5", "?company_id=abc"]) {
      expect(await refusalOf(callAs(owner.bearer, "GET", `/api/v1/settings${query}`))).toBe(
        '400 validation_failed {"company_id":["invalid"]}',
      );
    }
  });

  it("public sign-in settings look the same for an unknown, an inactive and a closed company", async () => {
    await addClient(google);
    await changeCompany(company.id, { is_active: false });
    expect(await settingsOf()).toEqual(nothing);
    expect(await settingsOf(null, "?company_id=999999999")).toEqual(nothing);
    const closed = await createCompany({ enable_magic_link: false });
    expect(await settingsOf(null, `?company_id=${closed.id}`)).toEqual(nothing);
  });

  it("reflect the deployment's switch, its sign-in codes and the lifetime of its links", async () => {
    expect(await settingsOf(null, undefined, off)).toEqual(nothing);
    const other = { MAGIC_LINK_SIGN_IN_CODE: "false", MAGIC_LINK_TTL_SECONDS: "600" };
    expect(await settingsOf(null, undefined, identityEnv(createMailbox(), other))).toMatchObject({
      enable_magic_link: true,
      sign_in_code: false,
      magic_link_ttl_seconds: 600,
    });
  });

  it("public sign-in settings are rate limited by client address", async () => {
    const few = identityEnv(createMailbox(), { AUTH_RATE_LIMIT_SETTINGS: "2/min" });
    const ip = freshIp();
    const call = () => callIdentity(few, `/api/v1/settings?company_id=${company.id}`, { ip });
    expect([(await call()).status, (await call()).status]).toEqual([200, 200]);
    const refused = await call();
    expect([refused.status, Number(refused.headers.get("retry-after")) >= 1]).toEqual([429, true]);
  });
});

describe("auth methods", () => {
  const methodsOf = async (bearer = owner.bearer, env = identityEnv(createMailbox())) =>
    (await callAs(bearer, "GET", methodsPath, undefined, env)).json();

  it("auth methods show what the company and the deployment allow, with sorted providers", async () => {
    const base = {
      enable_magic_link: true,
      magic_link_effective: true,
      magic_link_globally_enabled: true,
      notify_new_device: false,
      warnings: [],
    };
    expect(await methodsOf()).toEqual({ ...base, enable_oauth: false, oauth_providers: [], methods: ["magic_link"] });
    const id = await addClient(google);
    await addClient(github);
    expect(await methodsOf()).toEqual({
      ...base,
      enable_oauth: true,
      oauth_providers: ["github", "google"],
      methods: ["magic_link", "oauth"],
    });
    expect(await methodsOf(owner.bearer, off)).toEqual({
      enable_magic_link: true,
      magic_link_effective: false,
      magic_link_globally_enabled: false,
      notify_new_device: false,
      enable_oauth: true,
      oauth_providers: ["github", "google"],
      methods: ["oauth"],
      warnings: [],
    });
    await callAs(owner.bearer, "PATCH", `/api/v1/oauth-clients/${id}`, { is_active: false });
    expect(await methodsOf()).toMatchObject({ oauth_providers: ["github"] });
  });

  it.each(["PATCH", "PUT"])(
    "auth methods are changed by %s with one audit entry, and warn when no method is left",
    async (method) => {
      const change = (body: unknown) => callAs(owner.bearer, method, methodsPath, body);
      // `confirm` is accepted and has no effect.
      for (const confirm of [undefined, false, true]) {
        const response = await change({ enable_magic_link: false, confirm });
        expect([response.status, await response.json()]).toEqual([
          200,
          {
            enable_magic_link: false,
            magic_link_effective: false,
            magic_link_globally_enabled: true,
            notify_new_device: false,
            enable_oauth: false,
            oauth_providers: [],
            methods: [],
            warnings: ["no_sign_in_method"],
          },
        ]);
      }
      expect(await settingsOf()).toEqual(nothing);
      expect(await (await change({ enable_magic_link: true })).json()).toMatchObject({
        methods: ["magic_link"],
        warnings: [],
      });
      const entries = await changesOf(company, "identity.auth_methods");
      expect(entries.map(({ type, user_id, data }) => [type, user_id, data.enable_magic_link])).toEqual([
        ["identity.auth_methods.updated", owner.id, false],
        ["identity.auth_methods.updated", owner.id, true],
      ]);
      // A false value is left out of the list of events; the name of the field stays.
      const shown = await callAs(owner.bearer, "GET", "/api/v1/events?event_type=identity.auth_methods.updated");
      const { results } = await shown.json<{ results: { data: Record<string, unknown> }[] }>();
      expect(results.map(({ data }) => [data.changed_fields, data.enable_magic_link])).toEqual([
        [["enable_magic_link"], true],
        [["enable_magic_link"], undefined],
      ]);
    },
  );

  it("auth methods warn when the last provider is switched off or deleted, and reject neither", async () => {
    const id = await addClient(google);
    const path = `/api/v1/oauth-clients/${id}`;
    const warningsOf = async (bearer: string, method: string, url: string, body?: unknown) => {
      const response = await callAs(bearer, method, url, body);
      return [response.status, (await response.json<{ warnings?: string[] }>()).warnings];
    };
    const change = (body: unknown) => warningsOf(owner.bearer, "PATCH", path, body);
    expect(await change({ is_active: false })).toEqual([200, []]);
    expect(await change({ is_active: true })).toEqual([200, []]);
    expect(await warningsOf(owner.bearer, "PATCH", methodsPath, { enable_magic_link: false })).toEqual([200, []]);
    expect(await change({ label: "Google, for all" })).toEqual([200, []]);
    expect(await change({ is_active: false, confirm: true })).toEqual([200, ["no_sign_in_method"]]);
    expect(await change({ is_active: true })).toEqual([200, []]);
    const other = await addClient(github);
    expect(await change({ is_active: false })).toEqual([200, []]);
    expect((await callAs(owner.bearer, "DELETE", path)).status).toBe(204);
    expect((await callAs(owner.bearer, "DELETE", `/api/v1/oauth-clients/${other}?confirm=true`)).status).toBe(204);
    expect(await warningsOf(owner.bearer, "GET", methodsPath)).toEqual([200, ["no_sign_in_method"]]);
    expect(await settingsOf()).toEqual(nothing);
  });

  it("switch mails about new devices on, which are off by default", async () => {
    for (const value of [true, true, false]) {
      const response = await callAs(owner.bearer, "PATCH", methodsPath, { notify_new_device: value });
      expect(await response.json()).toMatchObject({ notify_new_device: value, enable_magic_link: true });
    }
    const entries = await changesOf(company, "identity.auth_methods");
    expect(entries.map(({ data }) => [data.changed_fields, data.notify_new_device])).toEqual([
      [["notify_new_device"], true],
      [["notify_new_device"], false],
    ]);
    const wrong = refusalOf(callAs(owner.bearer, "PATCH", methodsPath, { notify_new_device: "yes" }));
    expect(await wrong).toBe('400 validation_failed {"notify_new_device":["invalid"]}');
  });

  it("auth methods keep the company's flag while the deployment is off", async () => {
    const response = await callAs(owner.bearer, "PATCH", methodsPath, { enable_magic_link: true }, off);
    expect(await response.json()).toMatchObject({ enable_magic_link: true, magic_link_effective: false, methods: [] });
    expect(await methodsOf()).toMatchObject({ magic_link_effective: true });
  });

  it("auth methods reject a missing and a wrong flag, and read the company from query or body", async () => {
    const change = (body: unknown, query = "", bearer = owner.bearer) =>
      refusalOf(callAs(bearer, "PATCH", methodsPath + query, body));
    expect(await change({})).toBe('400 validation_failed {"enable_magic_link":["required"]}');
    for (const value of ["true", 1, null, []]) {
      expect(await change({ enable_magic_link: value })).toBe(
        '400 validation_failed {"enable_magic_link":["invalid"]}',
      );
    }
    const other = await createCompany();
    const staff = await createTestUser(other, { staff: true });
    expect(await change({ enable_magic_link: false, company_id: other.id })).toBe("403 company_mismatch");
    expect(await change({ enable_magic_link: false, company_id: other.id }, `?company_id=${company.id}`)).toBe(
      '400 validation_failed {"company_id":["mismatch"]}',
    );
    expect(await change({ enable_magic_link: false, confirm: true, company_id: company.id }, "", staff.bearer)).toBe(
      "200",
    );
    expect(await methodsOf()).toMatchObject({ enable_magic_link: false });
    expect(await change({ enable_magic_link: true }, "?company_id=999999", staff.bearer)).toBe("404 not_found");
  });

  it("admit staff and owners by the live row", async () => {
    await expectAdminsOnly(company, await createCompany(), [
      ["GET", methodsPath],
      ["PATCH", methodsPath, { enable_magic_link: false }],
      ["PUT", methodsPath, { enable_magic_link: false }],
    ]);
    expect(await methodsOf()).toMatchObject({ enable_magic_link: true });
  });
});
