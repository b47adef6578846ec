import { env as testEnv } from "cloudflare:test";
import { sql } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { scim_events } from "../../../db/identity/schema";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import { numberedEventId } from "../../support/db/event-ids";
import { insertNumbered } from "../../support/db/numbered-rows";
import { createAdministration } from "../../support/identity/administration";
import { callIdentity, freshEmail, freshIp } from "../../support/identity/identity";
import { createPat } from "../../support/identity/personal-access-tokens";
import { changeCompany, storeScimToken } from "../../support/identity/rows";
import {
  callScim,
  createBareDirectory,
  createDirectory,
  createScimGroup,
  createScimUser,
  expectScimError,
  patchOf,
} from "../../support/identity/scim";

const unknownUuid = "00000000-0000-4000-8000-000000000000";

describe("a credential", () => {
  it("that is missing, unknown, revoked, of another company, or of a user is rejected with 401", async () => {
    const directory = await createDirectory();
    const { env, base, company, owner } = directory;
    const otherDirectory = await createBareDirectory();
    const call = (token: string | null, path = "/Users") => callScim(env, { base, token }, "GET", path);
    expectScimError(await call(null), { status: 401, error_code: "unauthorized" });
    const pat = await createPat(env, { user: owner.id, company: company.id });
    const { token: revoked } = await storeScimToken(company, { revoked_at: 1 });
    for (const token of [`pst_${"x".repeat(43)}`, "pst_", revoked, otherDirectory.token, owner.token, pat.token]) {
      const response = await call(token);
      expectScimError(response, { status: 401, error_code: "token_invalid" });
      expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
      expectScimError(await call(token, "/ServiceProviderConfig"), { status: 401, error_code: "token_invalid" });
    }
  });

  it("that is rejected changes nothing", async () => {
    const directory = await createBareDirectory();
    const { env, base, scim } = directory;
    const otherDirectory = await createBareDirectory();
    const group = await createScimGroup(directory);
    const user = await createScimUser(directory);
    const call = (method: string, path: string, body?: object) =>
      callScim(env, { base, token: otherDirectory.token }, method, path, body);
    for (const response of [
      await call("POST", "/Users", { userName: freshEmail() }),
      await call("PATCH", `/Users/${user}`, patchOf({ op: "replace", path: "active", value: false })),
      await call("DELETE", `/Users/${user}`),
      await call("POST", "/Groups", { displayName: "Editors" }),
      await call("DELETE", `/Groups/${group}`),
    ])
      expectScimError(response, { status: 401, error_code: "token_invalid" });
    expect((await scim("GET", "/Users")).body).toMatchObject({ totalResults: 1, Resources: [{ active: true }] });
    expect((await scim("GET", "/Groups")).body).toMatchObject({ totalResults: 1 });
  });

  it("works with the slug of the company, and not with another company's", async () => {
    const { env, company, token } = await createBareDirectory();
    const otherDirectory = await createBareDirectory();
    const slug = (origin: string) => new URL(origin).hostname.split(".")[0];
    const call = ({ origin }: { origin: string }) =>
      callScim(env, { base: `/api/v1/companies/${slug(origin)}/scim/v2`, token }, "GET", "/Users");
    expect((await call(company)).status).toBe(200);
    expectScimError(await call(otherDirectory.company), { status: 401, error_code: "token_invalid" });
  });
});

describe("a request", () => {
  it.each([
    ["GET", "/Things"],
    ["GET", "/Users/1/emails"],
    ["GET", "/Users/0"],
    ["GET", "/Users/abc"],
    ["GET", "/Users/99999999999999999999"],
    ["DELETE", "/Users/999999999"],
    ["GET", `/Groups/${unknownUuid}`],
    ["DELETE", `/Groups/${unknownUuid}`],
    ["GET", "/Schemas/urn:example"],
    ["GET", "/ResourceTypes/Device"],
    ["POST", "/Bulk"],
    ["POST", "/.search"],
    ["GET", "/Me"],
  ])("%s %s returns 404", async (method, path) => {
    const { scim } = await createBareDirectory();
    const body = method === "POST" ? { schemas: [] } : undefined;
    expectScimError(await scim(method, path, body), { status: 404, error_code: "not_found" });
  });

  it.each([
    ["PUT", "/Users", "GET, POST"],
    ["DELETE", "/Users", "GET, POST"],
    ["POST", "/Users/1", "DELETE, GET, PATCH, PUT"],
    ["PATCH", "/Groups", "GET, POST"],
    ["POST", "/ServiceProviderConfig", "GET"],
    ["DELETE", "/Schemas", "GET"],
  ])("%s %s returns 405 with the allowed methods", async (method, path, allowed) => {
    const { scim } = await createBareDirectory();
    const response = await scim(method, path, method === "DELETE" ? undefined : {});
    expectScimError(response, { status: 405, error_code: "method_not_allowed" });
    const methods = response.headers.get("allow")?.split(/, */) ?? [];
    expect(methods.filter((name) => !["HEAD", "OPTIONS"].includes(name)).sort()).toEqual(allowed.split(", "));
  });

  it("with a body over 1 MiB returns 413, and one of 1 MiB is read", async () => {
    const { scim } = await createBareDirectory();
    const bodyOf = (bytes: number) => {
      const body = { userName: freshEmail(), nickName: "" };
      return JSON.stringify({ ...body, nickName: "x".repeat(bytes - JSON.stringify(body).length) });
    };
    expect((await scim("POST", "/Users", bodyOf(1_048_576))).status).toBe(201);
    expectScimError(await scim("POST", "/Users", bodyOf(1_048_577)), { status: 413, error_code: "payload_too_large" });
  });

  it("that declares more than 1 MiB returns 413 before its body is read", async () => {
    const { env, base, token } = await createBareDirectory();
    const pull = vi.fn();
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const headers = {
      authorization: `Bearer ${token}`,
      "content-length": "1048577",
      "content-type": "application/scim+json",
    };
    const response = await callIdentity(env, `${base}/Users`, { method: "POST", headers, body });
    expect(response.status).toBe(413);
    expect(pull).not.toHaveBeenCalled();
  });

  it("with another media type returns 415", async () => {
    const { scim } = await createBareDirectory();
    const response = await scim("POST", "/Users", { userName: freshEmail() }, { "content-type": "text/plain" });
    expectScimError(response, { status: 415, error_code: "unsupported_media_type" });
    const accepted = await scim("POST", "/Users", { userName: freshEmail() }, { "content-type": "application/json" });
    expect(accepted.status).toBe(201);
  });

  it.each([
    ["that is no JSON", "{"],
    ["that is empty", ""],
    ["that is a list", "[]"],
    ["that is a text", '"x"'],
    ["that is nested too deeply", `${'{"a":'.repeat(40)}1${"}".repeat(40)}`],
  ])("with a body %s returns 400", async (_name, body) => {
    const { scim } = await createBareDirectory();
    const expected = { status: 400, error_code: "validation_failed", scimType: "invalidSyntax" };
    expectScimError(await scim("POST", "/Users", body), expected);
    expectScimError(await scim("POST", "/Groups", body), expected);
  });

  it("over the rate limit of its token returns 429 with Retry-After, and another token is not affected", async () => {
    const { scim, env, base, company } = await createBareDirectory({ AUTH_RATE_LIMIT_SCIM: "2/min" });
    expect((await scim("GET", "/Users")).status).toBe(200);
    expect((await scim("GET", "/Groups")).status).toBe(200);
    const refused = await scim("GET", "/Users");
    expectScimError(refused, { status: 429, error_code: "rate_limited" });
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    const { token } = await storeScimToken(company);
    expect((await callScim(env, { base, token }, "GET", "/Users")).status).toBe(200);
  });

  it("with a wrong token is limited by network address, which does not affect valid tokens", async () => {
    const { env, base, token } = await createBareDirectory({ AUTH_RATE_LIMIT_SCIM: "2/min" });
    const ip = freshIp();
    const statusOf = async (bearer: string) =>
      (await callIdentity(env, `${base}/Users`, { headers: { authorization: `Bearer ${bearer}` }, ip })).status;
    const wrong = () => statusOf(`pst_${crypto.randomUUID()}`);
    expect([await wrong(), await wrong(), await wrong(), await statusOf(token)]).toEqual([401, 401, 429, 200]);
  });

  it("returns 404 while SCIM is disabled, and 403 while the company is inactive", async () => {
    const disabled = await createBareDirectory({ SCIM_ENABLED: "false" });
    expectScimError(await disabled.scim("GET", "/Users"), { status: 404, error_code: "not_found" });
    const inactive = await createBareDirectory();
    await changeCompany(inactive.company.id, { is_active: false });
    expectScimError(await inactive.scim("GET", "/Users"), { status: 403, error_code: "access_denied" });
  });

  it.each(["startIndex=x", "count=1.5", "count=99999999999"])("with %s returns 400", async (query) => {
    const { scim } = await createBareDirectory();
    const expected = { status: 400, error_code: "validation_failed", scimType: "invalidValue" };
    expectScimError(await scim("GET", `/Users?${query}`), expected);
    expectScimError(await scim("GET", `/Groups?${query}`), expected);
  });

  it("with a startIndex or count out of range gets the nearest part", async () => {
    const directory = await createBareDirectory();
    await createScimUser(directory);
    const list = async (query: string) => (await directory.scim("GET", `/Users?${query}`)).body;
    expect(await list("startIndex=-5&count=1000")).toMatchObject({ totalResults: 1, startIndex: 1, itemsPerPage: 1 });
    expect(await list("startIndex=2")).toMatchObject({ totalResults: 1, startIndex: 2, itemsPerPage: 0 });
    expect(await list("count=-1")).toMatchObject({ totalResults: 1, itemsPerPage: 0, Resources: [] });
  });
});

describe("a filter", () => {
  const terms = (count: number) => Array.from({ length: count }, (_, at) => `id eq "${at}"`).join(" or ");
  it.each([
    ["more than 1,000 characters", `id eq "${"x".repeat(993)}"`],
    ["more than 20 comparisons", terms(21)],
    ["a bracket that is not closed", '(id eq "1"'],
    ["a bracket too many", 'id eq "1")'],
    ["a quotation mark that is not closed", 'id eq "1'],
    ["a value without quotation marks", "id eq abc"],
    ["no value", "displayName eq"],
    ["an unknown operator", 'displayName like "x"'],
    ["a time that is none", 'meta.created gt "yesterday"'],
    ["two comparisons without and", 'id eq "1" id eq "2"'],
    ["a value filter in a value filter", 'members[value[x eq "1"] eq "2"]'],
  ])("with %s returns 400", async (_name, filter) => {
    const { scim } = await createBareDirectory();
    const expected = { status: 400, error_code: "validation_failed", scimType: "invalidFilter" };
    for (const path of ["/Users", "/Groups"])
      expectScimError(await scim("GET", `${path}?filter=${encodeURIComponent(filter)}`), expected);
  });

  it("may have 1,000 characters and 20 comparisons", async () => {
    const { scim } = await createBareDirectory();
    for (const filter of [`id eq "${"x".repeat(992)}"`, terms(20)]) {
      const list = await scim("GET", `/Users?filter=${encodeURIComponent(filter)}`);
      expect([list.status, list.body.totalResults]).toEqual([200, 0]);
    }
  });

  it("is refused for lists of discovery", async () => {
    const { scim } = await createBareDirectory();
    for (const path of ["/Schemas", "/ResourceTypes"])
      expectScimError(await scim("GET", `${path}?filter=id%20pr`), { status: 403, error_code: "forbidden" });
  });
});

it("rejects an operation that is no text, deeply nested parentheses, and stores only the start of a long id", async () => {
  const directory = await createDirectory();
  const { scim, owner } = directory;
  const user = await createScimUser(directory);
  const operation = '{"Operations":[{"op":{"toString":1},"path":"active","value":true}]}';
  expectScimError(await scim("PATCH", `/Users/${user}`, operation), {
    status: 400,
    error_code: "validation_failed",
    scimType: "invalidSyntax",
  });
  for (const path of ["/Users", "/Groups"]) {
    const filter = encodeURIComponent(`${"not (".repeat(21)}id pr${")".repeat(21)}`);
    expectScimError(await scim("GET", `${path}?filter=${filter}`), {
      status: 400,
      error_code: "validation_failed",
      scimType: "invalidFilter",
    });
  }
  expect(
    (await scim("GET", `/Users?filter=${encodeURIComponent(`${"(".repeat(20)}id pr${")".repeat(20)}`)}`)).status,
  ).toBe(200);
  await scim("DELETE", `/Users/${"a".repeat(5000)}`);
  const { body } = await owner.call("GET", "/api/v1/scim");
  expect(body.recent_provisioning_events).toMatchObject([
    { operation: "delete", resource_id: "a".repeat(36) },
    { operation: "update", ok: false },
    { operation: "create", ok: true },
  ]);
});

describe("the list of changes that a directory requested", () => {
  const EVENTS = "/api/v1/scim/events";
  type Listed = { count?: number; results: Record<string, unknown>[]; next_cursor: string | null };

  it("is in pages, newest first, with the filter ok, for staff and owners of the company", async () => {
    const directory = await createDirectory();
    const { scim, owner, company, actor } = directory;
    const user = await createScimUser(directory);
    const otherDirectory = await createDirectory();
    await createScimUser(otherDirectory);
    for (const path of ["/Users/0", "/Users/999999996", "/Users/999999997", "/Users/999999998", "/Users/999999999"])
      await scim("DELETE", path);
    await createScimGroup(directory, user);
    const list = async (query = "") => (await owner.call("GET", `${EVENTS}${query}`)).body as Listed;
    const all = await list();
    const group = all.results[0];
    expect(group).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: expect.stringMatching(/Z$/),
      operation: "create",
      resource_type: "Group",
      resource_id: expect.any(String),
      ok: true,
      code: null,
      detail: "",
    });
    expect([all.count, all.results.at(-1)?.resource_id]).toEqual([7, user]);
    const rejected = await list("?ok=false&page_size=3");
    expect([rejected.count, rejected.results.map(({ ok }) => ok)]).toEqual([5, [false, false, false]]);
    const lastPage = await list(`?ok=false&page_size=3&cursor=${rejected.next_cursor}`);
    expect([lastPage.results.map(({ ok }) => ok), lastPage.next_cursor]).toEqual([[false, false], null]);
    expect([...rejected.results, ...lastPage.results]).toEqual(all.results.filter(({ ok }) => ok === false));
    expect((await list("?ok=true")).results.map(({ ok }) => ok)).toEqual([true, true]);
    expect((await list(`?created_before=${group?.at}`)).results).not.toContainEqual(group);
    expect((await list(`?created_after=${group?.at}`)).results).toContainEqual(group);
    const staff = await actor({ staff: true });
    expect((await staff.call("GET", `${EVENTS}?company_id=${otherDirectory.company.id}`)).body).toMatchObject({
      count: 1,
    });
    expect((await otherDirectory.owner.call("GET", `${EVENTS}?company_id=${company.id}`)).status).toBe(403);
    const { status, body } = await owner.call("GET", `${EVENTS}?ok=maybe`);
    expect([status, body.field_errors]).toEqual([400, { ok: ["invalid"] }]);
  });

  it("ends a page with a filter after 2,000 changes, and the cursor continues there", async () => {
    const { owner, company } = await createAdministration();
    await insertNumbered((testEnv as unknown as IdentityBindings).DB, scim_events, { from: 1, to: 2100 }, (i) => ({
      company_id: company.id,
      id: numberedEventId(sql`(${Date.now()} + ${i})`, i),
      operation: "update" as const,
      resource_type: "User" as const,
      ok: sql`${i} > 1`,
      created_at: sql`${Date.now()} + ${i}`,
    }));
    const list = async (query: string) => (await owner.call("GET", `${EVENTS}?ok=false${query}`)).body as Listed;
    const first = await list("");
    expect([first.results, typeof first.next_cursor]).toEqual([[], "string"]);
    const second = await list(`&cursor=${first.next_cursor}`);
    expect([second.results.length, second.next_cursor]).toEqual([1, null]);
  });
});
