import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { personal_access_tokens, sessions } from "../../../db/identity/schema";
import {
  callAs,
  changesOf,
  createPat,
  createTestUser,
  expectAdminsOnly,
  outcomeOf,
  type TestUser,
} from "../../support/identity/admin";
import { callIdentity, createCompany, createMailbox, freshIp, identityEnv } from "../../support/identity/identity";
import { changeCompany, changeMemberships, updateRows } from "../../support/identity/rows";

const methodsPath = "/api/v1/auth-methods";
const withoutLinks = identityEnv(createMailbox(), { MAGIC_LINK_ENABLED: "false" });
const noMethods = {
  methods: [],
  oauthProviders: [],
  enable_oauth: false,
  enable_magic_link: false,
  sign_in_code: false,
};
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

const readSettings = async (
  bearer: string | null = null,
  query = `?company_id=${company.id}`,
  env = identityEnv(createMailbox()),
) => (await callAs(bearer, "GET", `/api/v1/settings${query}`, undefined, env)).json<Record<string, unknown>>();

describe("public sign-in settings", () => {
  it("lists usable methods and the providers of active, complete clients, without client ids or secrets", async () => {
    expect(await readSettings()).toEqual({
      ...noMethods,
      methods: ["magic_link"],
      enable_magic_link: true,
      sign_in_code: true,
      magic_link_ttl_seconds: 1800,
    });
    await addClient(google);
    await addClient(github);
    await addClient({ provider: "microsoft", client_id: "m" });
    await addClient({ provider: "apple", client_id: "a", team_id: "T", key_id: "K", is_active: false });
    const settings = await readSettings();
    expect(settings).toEqual({
      methods: ["magic_link", "oauth"],
      oauthProviders: ["github", "google"],
      enable_oauth: true,
      enable_magic_link: true,
      sign_in_code: true,
      magic_link_ttl_seconds: 1800,
    });
    const member = await createTestUser(company);
    expect(JSON.stringify([settings, await readSettings(member.bearer)])).not.toContain("client-id-of");
  });

  it("shows the clients to a member with a session or a read-only token of the company", async () => {
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
      expect(await readSettings(bearer)).toMatchObject(expected);
      expect(await readSettings(bearer, "")).toMatchObject(expected);
    }
    const other = await createCompany();
    const staff = await createTestUser(other, { staff: true });
    expect(await readSettings(staff.bearer)).toMatchObject(expected);
    const stranger = await createTestUser(other);
    expect(await readSettings(stranger.bearer)).not.toHaveProperty("oauthClients");
    expect(await readSettings(stranger.bearer, "")).toMatchObject({ oauthClients: [], external: {} });
  });

  it("ignores an ended, invalid or pending bearer, and then requires company_id", async () => {
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
    const settings = await readSettings();
    for (const bearer of ["nonsense", "a.b.c", pending.bearer, loggedOut.bearer, pat]) {
      expect(await readSettings(bearer)).toEqual(settings);
      expect(await outcomeOf(callAs(bearer, "GET", "/api/v1/settings"))).toBe(
        '400 validation_failed {"company_id":["required"]}',
      );
    }
    for (const query of ["?company_id=", "?company_id=0", "?company_id=1.5", "?company_id=abc"]) {
      expect(await outcomeOf(callAs(owner.bearer, "GET", `/api/v1/settings${query}`))).toBe(
        '400 validation_failed {"company_id":["invalid"]}',
      );
    }
  });

  it("returns the same settings for an unknown company, an inactive company and a company without methods", async () => {
    await addClient(google);
    await changeCompany(company.id, { is_active: false });
    expect(await readSettings()).toEqual(noMethods);
    expect(await readSettings(null, "?company_id=999999999")).toEqual(noMethods);
    const closed = await createCompany({ enable_magic_link: false });
    expect(await readSettings(null, `?company_id=${closed.id}`)).toEqual(noMethods);
  });

  it("applies the deployment's settings for links, sign-in codes and the lifetime of links", async () => {
    expect(await readSettings(null, undefined, withoutLinks)).toEqual(noMethods);
    const other = { MAGIC_LINK_SIGN_IN_CODE: "false", MAGIC_LINK_TTL_SECONDS: "600" };
    expect(await readSettings(null, undefined, identityEnv(createMailbox(), other))).toMatchObject({
      enable_magic_link: true,
      sign_in_code: false,
      magic_link_ttl_seconds: 600,
    });
  });

  it("rate limits requests by client address", async () => {
    const limited = identityEnv(createMailbox(), { AUTH_RATE_LIMIT_SETTINGS: "2/min" });
    const ip = freshIp();
    const call = () => callIdentity(limited, `/api/v1/settings?company_id=${company.id}`, { ip });
    expect([(await call()).status, (await call()).status]).toEqual([200, 200]);
    const response = await call();
    expect([response.status, Number(response.headers.get("retry-after")) >= 1]).toEqual([429, true]);
  });
});

describe("auth methods", () => {
  const readMethods = async (bearer = owner.bearer, env = identityEnv(createMailbox())) =>
    (await callAs(bearer, "GET", methodsPath, undefined, env)).json();

  it("returns what the company and the deployment allow, with sorted providers", async () => {
    const base = {
      enable_magic_link: true,
      magic_link_effective: true,
      magic_link_globally_enabled: true,
      notify_new_device: false,
      warnings: [],
    };
    expect(await readMethods()).toEqual({ ...base, enable_oauth: false, oauth_providers: [], methods: ["magic_link"] });
    const id = await addClient(google);
    await addClient(github);
    expect(await readMethods()).toEqual({
      ...base,
      enable_oauth: true,
      oauth_providers: ["github", "google"],
      methods: ["magic_link", "oauth"],
    });
    expect(await readMethods(owner.bearer, withoutLinks)).toEqual({
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
    expect(await readMethods()).toMatchObject({ oauth_providers: ["github"] });
  });

  it.each(["PATCH", "PUT"])(
    "changes auth methods with %s, writes one audit entry, and warns when no method is left",
    async (method) => {
      const change = (body: unknown) => callAs(owner.bearer, method, methodsPath, body);
      // The service accepts `confirm`, which has no effect.
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
      expect(await readSettings()).toEqual(noMethods);
      expect(await (await change({ enable_magic_link: true })).json()).toMatchObject({
        methods: ["magic_link"],
        warnings: [],
      });
      const entries = await changesOf(company, "identity.auth_methods");
      expect(entries.map(({ type, user_id, data }) => [type, user_id, data.enable_magic_link])).toEqual([
        ["identity.auth_methods.updated", owner.id, false],
        ["identity.auth_methods.updated", owner.id, true],
      ]);
      // The event list omits false values, but changed_fields still names the field.
      const settings = await callAs(owner.bearer, "GET", "/api/v1/events?event_type=identity.auth_methods.updated");
      const { results } = await settings.json<{ results: { data: Record<string, unknown> }[] }>();
      expect(results.map(({ data }) => [data.changed_fields, data.enable_magic_link])).toEqual([
        [["enable_magic_link"], true],
        [["enable_magic_link"], undefined],
      ]);
    },
  );

  it("accepts the deactivation and deletion of the last provider with a warning", async () => {
    const id = await addClient(google);
    const path = `/api/v1/oauth-clients/${id}`;
    const sendForWarnings = async (bearer: string, method: string, url: string, body?: unknown) => {
      const response = await callAs(bearer, method, url, body);
      return [response.status, (await response.json<{ warnings?: string[] }>()).warnings];
    };
    const change = (body: unknown) => sendForWarnings(owner.bearer, "PATCH", path, body);
    expect(await change({ is_active: false })).toEqual([200, []]);
    expect(await change({ is_active: true })).toEqual([200, []]);
    expect(await sendForWarnings(owner.bearer, "PATCH", methodsPath, { enable_magic_link: false })).toEqual([200, []]);
    expect(await change({ label: "Google, for all" })).toEqual([200, []]);
    expect(await change({ is_active: false, confirm: true })).toEqual([200, ["no_sign_in_method"]]);
    expect(await change({ is_active: true })).toEqual([200, []]);
    const other = await addClient(github);
    expect(await change({ is_active: false })).toEqual([200, []]);
    expect((await callAs(owner.bearer, "DELETE", path)).status).toBe(204);
    expect((await callAs(owner.bearer, "DELETE", `/api/v1/oauth-clients/${other}?confirm=true`)).status).toBe(204);
    expect(await sendForWarnings(owner.bearer, "GET", methodsPath)).toEqual([200, ["no_sign_in_method"]]);
    expect(await readSettings()).toEqual(noMethods);
  });

  it("enables mails about new devices, which are off by default", async () => {
    for (const value of [true, true, false]) {
      const response = await callAs(owner.bearer, "PATCH", methodsPath, { notify_new_device: value });
      expect(await response.json()).toMatchObject({ notify_new_device: value, enable_magic_link: true });
    }
    const entries = await changesOf(company, "identity.auth_methods");
    expect(entries.map(({ data }) => [data.changed_fields, data.notify_new_device])).toEqual([
      [["notify_new_device"], true],
      [["notify_new_device"], false],
    ]);
    const wrong = outcomeOf(callAs(owner.bearer, "PATCH", methodsPath, { notify_new_device: "yes" }));
    expect(await wrong).toBe('400 validation_failed {"notify_new_device":["invalid"]}');
  });

  it("keeps the company's flag while links are disabled for the deployment", async () => {
    const response = await callAs(owner.bearer, "PATCH", methodsPath, { enable_magic_link: true }, withoutLinks);
    expect(await response.json()).toMatchObject({ enable_magic_link: true, magic_link_effective: false, methods: [] });
    expect(await readMethods()).toMatchObject({ magic_link_effective: true });
  });

  it("rejects a missing or invalid flag, and reads the company from the query or the body", async () => {
    const change = (body: unknown, query = "", bearer = owner.bearer) =>
      outcomeOf(callAs(bearer, "PATCH", methodsPath + query, body));
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
    expect(await readMethods()).toMatchObject({ enable_magic_link: false });
    expect(await change({ enable_magic_link: true }, "?company_id=999999", staff.bearer)).toBe("404 not_found");
  });

  it("admits staff and owners by their stored roles, not by the roles in the token", async () => {
    await expectAdminsOnly(company, await createCompany(), [
      ["GET", methodsPath],
      ["PATCH", methodsPath, { enable_magic_link: false }],
      ["PUT", methodsPath, { enable_magic_link: false }],
    ]);
    expect(await readMethods()).toMatchObject({ enable_magic_link: true });
  });
});
