import { createExecutionContext } from "cloudflare:test";
import { asc } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { oauth_redirects } from "../../../db/identity/schema";
import { IdentityRpc } from "../../../workers/identity/worker";
import {
  callAs,
  changesOf,
  createPat,
  createTestUser,
  expectAdminsOnly,
  outcomeOf,
  type TestUser,
} from "../../support/identity/admin";
import { createCompany, createMailbox, identityEnv } from "../../support/identity/identity";
import { insertRows, rowsOfCompany } from "../../support/identity/rows";

const path = "/api/v1/oauth-redirects";
const hosting = "/api/v1/hosting-oauth-redirects";
const deployment = { DEBUG: "false", JWT_ISSUER: "https://id.example.com" };
const deployed = identityEnv(createMailbox(), deployment);
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

type Row = { id: string; base_url: string; label: string; source: string; is_active: boolean; created_at: string };
let company: { id: number; origin: string };
let other: { id: number; origin: string };
let owner: TestUser;
let staff: TestUser;

beforeAll(async () => {
  other = await createCompany();
  staff = await createTestUser(other, { staff: true });
});

beforeEach(async () => {
  company = await createCompany();
  owner = await createTestUser(company, { owner: true });
});

async function add(body: Record<string, unknown>, bearer = owner.bearer): Promise<Row> {
  const response = await callAs(bearer, "POST", path, body);
  expect(response.status).toBe(201);
  return response.json();
}

async function stored(companyId = company.id) {
  const { created_at, id } = oauth_redirects;
  const rows = await rowsOfCompany(oauth_redirects, companyId, asc(created_at), asc(id));
  return rows.map(({ base_url, source, is_active, label }) => ({ base_url, source, is_active, label }));
}

describe("addition of redirect origins", () => {
  it("returns the row, and stores the origin and the audit entry", async () => {
    const row = await add({ base_url: " https://Shop.Example.COM:443/a/b?c=1#d ", label: " Shop " });
    expect(row).toEqual({
      id: expect.stringMatching(uuid),
      base_url: "https://shop.example.com",
      label: "Shop",
      source: "manual",
      is_active: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const [entry, ...rest] = await changesOf(company, "identity.oauth_redirect");
    expect(rest).toEqual([]);
    expect(entry).toMatchObject({
      type: "identity.oauth_redirect.created",
      user_id: owner.id,
      actor: { kind: "session", user_id: owner.id },
      data: {
        redirect_id: row.id,
        base_url: "https://shop.example.com",
        source: "manual",
        ip_hash: expect.any(String),
      },
    });
  });

  it.each([
    ["https://shop.example.com:8443/x", "https://shop.example.com:8443"],
    ["https://bücher.example.com", "https://xn--bcher-kva.example.com"],
    ["http://localhost:3000/login", "http://localhost:3000"],
    ["http://127.0.0.1:80", "http://127.0.0.1"],
    ["http://[::1]:5173/", "http://[::1]:5173"],
    ["https://localhost", "https://localhost"],
  ])("stores %s as the origin %s, even outside DEBUG", async (base_url, origin) => {
    const response = await callAs((await createDeployedOwner()).bearer, "POST", path, { base_url }, deployed);
    expect(response.status).toBe(201);
    expect((await response.json<Row>()).base_url).toBe(origin);
  });

  it.each([
    [{}, { base_url: ["required"] }],
    [{ base_url: null }, { base_url: ["invalid"] }],
    [{ base_url: 7 }, { base_url: ["invalid"] }],
    [{ base_url: "  " }, { base_url: ["blank"] }],
    [{ base_url: `https://a.example.com/${"x".repeat(480)}` }, { base_url: ["too_long"] }],
    [{ base_url: "shop.example.com" }, { base_url: ["invalid"] }],
    [{ base_url: "ftp://shop.example.com" }, { base_url: ["invalid"] }],
    [{ base_url: "javascript:alert(1)" }, { base_url: ["invalid"] }],
    [{ base_url: "https://user@shop.example.com" }, { base_url: ["invalid"] }],
    [{ base_url: "https://user:pass@shop.example.com" }, { base_url: ["invalid"] }],
    [{ base_url: "https://shop.example.com\\@evil.example.com" }, { base_url: ["invalid"] }],
    [{ base_url: "https://shop.exa\tmple.com" }, { base_url: ["invalid"] }],
    [{ base_url: "https://*.example.com" }, { base_url: ["invalid"] }],
    [{ base_url: "https://" }, { base_url: ["invalid"] }],
    [{ base_url: "https://a.example.com", label: "x".repeat(151) }, { label: ["too_long"] }],
    [{ base_url: "https://a.example.com", label: "a\u0000b" }, { label: ["invalid"] }],
    [{ base_url: "https://a.example.com", is_active: "true" }, { is_active: ["invalid"] }],
    [{ base_url: "https://a.example.com", source: "other" }, { source: ["invalid"] }],
  ])("rejects %j", async (body, fields) => {
    expect(await outcomeOf(callAs(owner.bearer, "POST", path, body))).toBe(
      `400 validation_failed ${JSON.stringify(fields)}`,
    );
    expect(await stored()).toHaveLength(1);
    expect(await changesOf(company, "identity.oauth_redirect")).toEqual([]);
  });

  it("requires https outside DEBUG, except for loopback", async () => {
    const { bearer } = await createDeployedOwner();
    for (const base_url of ["http://shop.example.com", "http://127.0.0.2", "http://app.localhost"]) {
      expect(await outcomeOf(callAs(bearer, "POST", path, { base_url }, deployed))).toBe(
        '400 validation_failed {"base_url":["https_required"]}',
      );
    }
    expect((await add({ base_url: "http://shop.example.com" })).base_url).toBe("http://shop.example.com");
  });

  it("stores label, is_active and source as sent", async () => {
    expect(
      await add({ base_url: "https://b.example.com", label: "", is_active: false, source: "hosting" }),
    ).toMatchObject({ label: "", is_active: false, source: "hosting" });
  });

  it("returns 409 for a listed origin in any spelling, and does not change it", async () => {
    await add({ base_url: "https://shop.example.com", label: "first", is_active: false });
    const sameOrigin = { base_url: "https://SHOP.example.com:443/x", label: "second" };
    expect(await outcomeOf(callAs(owner.bearer, "POST", path, sameOrigin))).toBe("409 conflict");
    expect((await stored()).at(-1)).toMatchObject({ label: "first", is_active: false });
    expect(await changesOf(company, "identity.oauth_redirect")).toHaveLength(1);
    expect((await callAs(staff.bearer, "POST", `${path}?company_id=${other.id}`, sameOrigin)).status).toBe(201);
  });

  it("adds an origin once for 50 parallel requests", async () => {
    const responses = await Promise.all(
      Array.from({ length: 50 }, () =>
        outcomeOf(callAs(owner.bearer, "POST", path, { base_url: "https://race.example.com" })),
      ),
    );
    expect(responses.filter((response) => response === "201")).toHaveLength(1);
    expect(responses.filter((response) => response === "409 conflict")).toHaveLength(49);
    expect(await changesOf(company, "identity.oauth_redirect")).toHaveLength(1);
  });

  it("stores at most 200 rows under parallel requests, and still returns conflict for a listed origin", async () => {
    await insertRows(
      oauth_redirects,
      Array.from({ length: 194 }, (_, i) => ({
        id: crypto.randomUUID(),
        company_id: company.id,
        base_url: `https://n${i + 1}.example.com`,
        created_at: 2,
      })),
    );
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        outcomeOf(callAs(owner.bearer, "POST", path, { base_url: `https://race-${i}.example.com` })),
      ),
    );
    expect(responses.filter((response) => response === "201")).toHaveLength(5);
    expect(responses.filter((response) => response === "409 limit_reached")).toHaveLength(25);
    expect(await stored()).toHaveLength(200);
    expect(await outcomeOf(callAs(owner.bearer, "PUT", hosting, { base_url: "https://more.example.com" }))).toBe(
      "409 limit_reached",
    );
    expect(await outcomeOf(callAs(owner.bearer, "POST", path, { base_url: "https://n1.example.com" }))).toBe(
      "409 conflict",
    );
    expect((await callAs(owner.bearer, "PUT", hosting, { base_url: "https://n1.example.com" })).status).toBe(200);
  });
});

/** Creates an owner with tokens of a production deployment. */
async function createDeployedOwner(): Promise<TestUser> {
  return createTestUser(company, { owner: true }, deployment);
}

describe("reads, changes and removal of redirect origins", () => {
  it("lists the company's rows in pages, oldest first", async () => {
    for (const name of ["b", "c", "d"]) await add({ base_url: `https://${name}.example.com` });
    const response = await callAs(owner.bearer, "GET", `${path}?page=2&page_size=3`);
    const page = await response.json<{ results: Row[] }>();
    expect(page).toMatchObject({ count: 4, page: 2, page_size: 3 });
    expect(page.results.map((row) => row.base_url)).toEqual(["https://d.example.com"]);
    expect(await (await callAs(owner.bearer, "GET", path)).json()).toMatchObject({ count: 4, page: 1, page_size: 20 });
    expect(await outcomeOf(callAs(owner.bearer, "GET", `${path}?page_size=101`))).toBe(
      '400 validation_failed {"page_size":["out_of_range"]}',
    );
  });

  it("returns a row only to its own company, and any row to staff with company_id", async () => {
    const row = await add({ base_url: "https://b.example.com" });
    expect(await (await callAs(owner.bearer, "GET", `${path}/${row.id}`)).json()).toEqual(row);
    const foreign = await createTestUser(other, { owner: true });
    for (const [method, body] of [["GET"], ["PATCH", { label: "x" }], ["DELETE"]] as const) {
      expect(await outcomeOf(callAs(foreign.bearer, method, `${path}/${row.id}`, body))).toBe("404 not_found");
      expect(await outcomeOf(callAs(staff.bearer, method, `${path}/${row.id}`, body))).toBe("404 not_found");
    }
    expect((await callAs(staff.bearer, "GET", `${path}/${row.id}?company_id=${company.id}`)).status).toBe(200);
    expect(await outcomeOf(callAs(staff.bearer, "GET", `${path}/${row.id}?company_id=999999`))).toBe("404 not_found");
    for (const id of ["1", row.id.toUpperCase(), "%00", `${row.id}x`]) {
      expect(await outcomeOf(callAs(owner.bearer, "GET", `${path}/${id}`))).toBe("404 not_found");
    }
  });

  it("changes the fields in the body and keeps the others", async () => {
    const row = await add({ base_url: "https://b.example.com", label: "B" });
    const change = (body: unknown) => callAs(owner.bearer, "PATCH", `${path}/${row.id}`, body);
    expect(await (await change({ is_active: false })).json()).toEqual({ ...row, is_active: false });
    expect(await (await change({ label: "" })).json()).toEqual({ ...row, is_active: false, label: "" });
    expect(await (await change({ base_url: "https://c.example.com/x", source: "hosting" })).json()).toEqual({
      ...row,
      is_active: false,
      label: "",
      base_url: "https://c.example.com",
    });
    expect(
      (await changesOf(company, "identity.oauth_redirect.updated")).map(({ data }) => data.changed_fields),
    ).toEqual([["is_active"], ["label"], ["base_url"]]);
  });

  it("records only the fields that changed, and nothing when nothing changed", async () => {
    const row = await add({ base_url: "https://b.example.com", label: "B" });
    const change = async (body: unknown) => (await callAs(owner.bearer, "PATCH", `${path}/${row.id}`, body)).json();
    expect(await change({ base_url: "https://B.example.com:443/x", label: " B ", is_active: true })).toEqual(row);
    await change({ base_url: row.base_url, label: "C", is_active: true });
    const entries = await changesOf(company, "identity.oauth_redirect.updated");
    expect(entries.map(({ data: { changed_fields, base_url } }) => ({ changed_fields, base_url }))).toEqual([
      { changed_fields: ["label"], base_url: undefined },
    ]);
  });

  it("stores both of two parallel changes of different fields", async () => {
    const row = await add({ base_url: "https://b.example.com", label: "B" });
    const change = (body: unknown) => callAs(owner.bearer, "PATCH", `${path}/${row.id}`, body);
    await Promise.all([
      change({ label: "C" }),
      change({ is_active: false }),
      change({ base_url: "https://c.example.com" }),
    ]);
    expect(await (await callAs(owner.bearer, "GET", `${path}/${row.id}`)).json()).toMatchObject({
      base_url: "https://c.example.com",
      label: "C",
      is_active: false,
    });
  });

  it("rejects a change without a field, with an invalid field, or to the origin of another row", async () => {
    const row = await add({ base_url: "https://b.example.com" });
    const change = (body: unknown) => outcomeOf(callAs(owner.bearer, "PATCH", `${path}/${row.id}`, body));
    expect(await change({})).toBe('400 validation_failed {"body":["required"]}');
    expect(await change({ source: "hosting", company_id: company.id })).toBe(
      '400 validation_failed {"body":["required"]}',
    );
    expect(await change({ base_url: null })).toBe('400 validation_failed {"base_url":["invalid"]}');
    expect(await change({ base_url: "nope" })).toBe('400 validation_failed {"base_url":["invalid"]}');
    expect(await change({ is_active: 1 })).toBe('400 validation_failed {"is_active":["invalid"]}');
    expect(await change({ base_url: company.origin })).toBe("409 conflict");
    expect(await change({ base_url: "https://b.example.com/again" })).toBe("200");
    expect(await outcomeOf(callAs(owner.bearer, "PATCH", `${path}/${crypto.randomUUID()}`, {}))).toBe("404 not_found");
  });

  it("removes a row once, and then rejects sign-ins that redirect to its origin", async () => {
    const row = await add({ base_url: "https://b.example.com" });
    const remove = () => outcomeOf(callAs(owner.bearer, "DELETE", `${path}/${row.id}`));
    expect([await remove(), await remove()]).toEqual(["204", "404 not_found"]);
    const request = { company_id: company.id, email: owner.email, redirect_to: "https://b.example.com/x" };
    expect(await outcomeOf(callAs(null, "POST", "/api/v1/magic-link/request", request))).toBe(
      "400 redirect_not_allowed",
    );
    expect((await changesOf(company, "identity.oauth_redirect.deleted")).map(({ data }) => data.redirect_id)).toEqual([
      row.id,
    ]);
  });

  it("admits staff and owners by their stored roles, not by the roles in the token", async () => {
    const [row] = await rowsOfCompany(oauth_redirects, company.id);
    const rowPath = `${path}/${row?.id}`;
    await expectAdminsOnly(company, other, [
      ["GET", path],
      ["POST", path, { base_url: "https://b.example.com" }],
      ["GET", rowPath],
      ["PATCH", rowPath, { label: "x" }],
      ["DELETE", rowPath],
      ["PUT", hosting, { base_url: "https://b.example.com" }],
      ["DELETE", hosting, { base_url: "https://b.example.com" }],
    ]);
    expect(await stored()).toHaveLength(1);
    const pat = await createPat(company, owner, false);
    expect((await callAs(pat, "POST", path, { base_url: "https://pat.example.com" })).status).toBe(201);
    expect((await changesOf(company, "identity.oauth_redirect"))[0]?.actor).toEqual({ kind: "pat", user_id: owner.id });
  }, 60_000);
});

describe("redirect origins of hosting", () => {
  const put = (body: unknown, bearer = owner.bearer) => callAs(bearer, "PUT", hosting, body);
  const remove = (body: unknown, query = "") => outcomeOf(callAs(owner.bearer, "DELETE", hosting + query, body));

  it("adds a new origin with 201, and returns 200 for the same origin later", async () => {
    const first = await put({ base_url: "https://app.example.com/x", label: "App" });
    expect(first.status).toBe(201);
    const row = await first.json<Row>();
    expect(row).toMatchObject({
      base_url: "https://app.example.com",
      label: "App",
      source: "hosting",
      is_active: true,
    });
    const second = await put({ base_url: "https://app.example.com" });
    expect([second.status, await second.json()]).toEqual([200, row]);
    const renamed = await put({ base_url: "https://app.example.com", label: "New" });
    expect([renamed.status, await renamed.json()]).toEqual([200, { ...row, label: "New" }]);
    const types = (await changesOf(company, "identity.oauth_redirect")).map(({ type }) => type.split(".").at(-1));
    expect(types).toEqual(["created", "updated"]);
  });

  it("activates an existing row, and keeps the source and label of a manual row", async () => {
    const manual = await add({ base_url: "https://app.example.com", label: "By hand", is_active: false });
    const response = await put({ base_url: "https://app.example.com", label: "App" });
    expect([response.status, await response.json()]).toEqual([200, { ...manual, is_active: true }]);
    expect((await changesOf(company, "identity.oauth_redirect.updated")).map(({ data }) => data.base_url)).toEqual([
      "https://app.example.com",
    ]);
  });

  it("removes only rows that hosting added, and is idempotent", async () => {
    await add({ base_url: "https://manual.example.com" });
    await put({ base_url: "https://app.example.com" });
    for (let tries = 0; tries < 2; tries++) {
      expect(await remove({ base_url: "https://manual.example.com" })).toBe("204");
      expect(await remove({ base_url: "https://APP.example.com/x" })).toBe("204");
    }
    expect((await stored()).map((row) => row.base_url)).toEqual([company.origin, "https://manual.example.com"]);
    expect(await changesOf(company, "identity.oauth_redirect.deleted")).toHaveLength(1);
  });

  it("reads the company only from the token", async () => {
    const body = { base_url: "https://app.example.com" };
    const refusal = "400 company_id_not_allowed";
    for (const company_id of [company.id, other.id, null, "x"]) {
      expect(await outcomeOf(put({ ...body, company_id }))).toBe(refusal);
      expect(await remove({ ...body, company_id })).toBe(refusal);
    }
    for (const query of [`?company_id=${company.id}`, "?company_id=x", "?company_id="]) {
      expect(await outcomeOf(callAs(owner.bearer, "PUT", hosting + query, body))).toBe(refusal);
      expect(await remove(body, query)).toBe(refusal);
      expect(await outcomeOf(callAs(staff.bearer, "PUT", hosting + query, body))).toBe(refusal);
    }
    expect((await put(body, staff.bearer)).status).toBe(201);
    expect((await stored(other.id)).map((row) => row.base_url)).toContain("https://app.example.com");
    expect(await stored()).toHaveLength(1);
  });

  it("applies the validation rules of origins", async () => {
    expect(await outcomeOf(put({}))).toBe('400 validation_failed {"base_url":["required"]}');
    expect(await outcomeOf(put({ base_url: "https://u@app.example.com" }))).toBe(
      '400 validation_failed {"base_url":["invalid"]}',
    );
    expect(await remove({})).toBe('400 validation_failed {"base_url":["required"]}');
    const { bearer } = await createDeployedOwner();
    expect(await outcomeOf(callAs(bearer, "PUT", hosting, { base_url: "http://app.example.com" }, deployed))).toBe(
      '400 validation_failed {"base_url":["https_required"]}',
    );
  });

  it("creates one row for 20 parallel requests", async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => outcomeOf(put({ base_url: "https://app.example.com" }))),
    );
    expect(responses.filter((response) => response === "201")).toHaveLength(1);
    expect(responses.filter((response) => response === "200")).toHaveLength(19);
    expect(await stored()).toHaveLength(2);
  });
});

describe("redirect origins of hosting over RPC", () => {
  const rpc = () => new IdentityRpc(createExecutionContext(), identityEnv(createMailbox()));
  const set = (is_wanted: boolean, base_url = "https://shop.apps.example.com", label = "Shop") =>
    rpc().setHostingRedirect({ company_id: company.id, base_url, label, is_wanted });

  it("adds and removes an origin once, and logs the platform as the actor", async () => {
    expect([await set(true), await set(true)]).toEqual([{ ok: true }, { ok: true }]);
    expect(await rpc().redirectOrigins({ company_id: company.id })).toEqual({
      origins: [company.origin, "https://shop.apps.example.com"],
    });
    expect((await stored()).slice(1)).toEqual([
      { base_url: "https://shop.apps.example.com", source: "hosting", is_active: true, label: "Shop" },
    ]);
    expect([await set(false), await set(false)]).toEqual([{ ok: true }, { ok: true }]);
    expect(await rpc().redirectOrigins({ company_id: company.id })).toEqual({ origins: [company.origin] });
    const changes = await changesOf(company, "identity.oauth_redirect");
    expect(changes.map(({ type, actor, data }) => [type, actor, data.base_url])).toEqual([
      ["identity.oauth_redirect.created", { kind: "system" }, "https://shop.apps.example.com"],
      ["identity.oauth_redirect.deleted", { kind: "system" }, "https://shop.apps.example.com"],
    ]);
  });

  it("keeps a row that was added manually", async () => {
    await add({ base_url: "https://shop.apps.example.com", label: "By hand", is_active: false });
    expect(await rpc().redirectOrigins({ company_id: company.id })).toEqual({ origins: [company.origin] });
    await set(true);
    await set(false);
    expect((await stored())[1]).toEqual({
      base_url: "https://shop.apps.example.com",
      source: "manual",
      is_active: true,
      label: "By hand",
    });
  });

  it("returns why an origin cannot be added, and changes nothing", async () => {
    const { id: company_id } = company;
    expect(await set(true, "https://*.apps.example.com")).toEqual({ ok: false, reason: "invalid" });
    expect(await set(true, "https://a.example.com", "x".repeat(151))).toEqual({ ok: false, reason: "invalid" });
    const unknown = { company_id: 2_000_000_000, base_url: "https://shop.apps.example.com", label: "Shop" };
    expect(await rpc().setHostingRedirect({ ...unknown, is_wanted: true })).toEqual({
      ok: false,
      reason: "company_not_found",
    });
    expect(await rpc().setHostingRedirect({ ...unknown, is_wanted: false })).toEqual({ ok: true });
    expect(await rpc().redirectOrigins({ company_id: unknown.company_id })).toEqual({ origins: [] });
    const rows = Array.from({ length: 199 }, (_, n) => ({
      id: crypto.randomUUID(),
      company_id,
      base_url: `https://n${n}.example.com`,
      created_at: n + 1,
    }));
    await insertRows(oauth_redirects, rows);
    expect(await set(true)).toEqual({ ok: false, reason: "limit_reached" });
    expect((await rpc().redirectOrigins({ company_id })).origins).toHaveLength(200);
    await expect(rpc().redirectOrigins({ company_id: 0 })).rejects.toThrow("malformed input");
    await expect(rpc().setHostingRedirect({} as never)).rejects.toThrow("malformed input");
  });
});
