import { eq } from "drizzle-orm";
import { generateKeyPair } from "jose";
import { describe, expect, it } from "vitest";
import { service_clients } from "../../db/email/schema";
import { clock } from "../../workers/kit/clock";
import { sha256Hex } from "../../workers/kit/crypto/hash";
import { createCompany, createKey, magicLink, startEmail } from "../support/email/email";
import { readRows, updateRows } from "../support/email/rows";
import { operationsOf, readDocument } from "../support/http/api-document";

const email = await startEmail();

async function list(bearer: string | undefined, query = "", worker = email) {
  const response = await worker.call(`/api/v1/messages${query}`, bearer === undefined ? {} : { bearer });
  const body = (await response.json()) as { error_code?: string };
  return { status: response.status, code: body.error_code, headers: response.headers };
}

describe("service keys", () => {
  it("rejects unknown and inactive service keys, other schemes, and JWTs as service keys", async () => {
    const company = createCompany();
    const inactive = await createKey({ active: false });
    const token = await email.token({ isStaff: true, companyId: company });
    const { key } = await createKey();
    const send = (headers: Record<string, string>) =>
      email.call("/api/v1/send", { headers, json: magicLink(company) }).then(({ status }) => status);
    expect(await send({})).toBe(401);
    expect(await send({ authorization: "Bearer esk_unknown" })).toBe(401);
    expect(await send({ authorization: `Bearer ${inactive.key}` })).toBe(401);
    expect(await send({ authorization: `Basic ${key}` })).toBe(401);
    expect(await send({ authorization: key })).toBe(401);
    expect(await send({ authorization: `Bearer ${token}` })).toBe(401);
    expect(await send({ authorization: `bearer ${key}` })).toBe(202);
  });

  it("accepts the previous service key until it expires", async () => {
    const { id } = await createKey();
    const old = "esk_previous-key-of-this-test";
    const until = (end: number) =>
      updateRows(service_clients, { previous_key_hash: sha, previous_expires_at: end }, eq(service_clients.id, id));
    const sha = await sha256Hex(old);
    await until(Date.now() + 60_000);
    expect((await email.call("/api/v1/catalog", { bearer: old })).status).toBe(200);
    await until(Date.now() - 1);
    expect((await email.call("/api/v1/catalog", { bearer: old })).status).toBe(401);
  });

  it("records the last use of a service key at most once a minute", async () => {
    const { id, key } = await createKey();
    const lastUsedAt = async () => {
      const [row] = await readRows(service_clients, eq(service_clients.id, id));
      return row?.last_used_at ?? 0;
    };
    await updateRows(service_clients, { last_used_at: 1 }, eq(service_clients.id, id));
    await email.call("/api/v1/catalog", { bearer: key });
    const first = await lastUsedAt();
    expect(first).toBeGreaterThan(1);
    await email.call("/api/v1/catalog", { bearer: key });
    expect(await lastUsedAt()).toBe(first);
  });
});

describe("access tokens", () => {
  it("rejects access tokens of another key, issuer, audience or type, expired tokens, and service keys", async () => {
    const person = { isOwner: true, companyId: createCompany() };
    const stranger = await generateKeyPair("RS256");
    const bad = [
      undefined,
      "x.y.z",
      await email.token(person, { iss: "http://elsewhere" }),
      await email.token(person, { aud: "other" }),
      await email.token(person, { exp: Math.floor(Date.now() / 1000) - 1 }),
      await email.token(person, { token_type: "refresh" }),
      await email.token(person, {}, { key: stranger.privateKey }),
      await email.token(person, {}, { kid: "unknown" }),
      (await createKey()).key,
    ];
    for (const bearer of bad) {
      const { status, code, headers } = await list(bearer);
      expect([status, code, headers.get("www-authenticate")]).toEqual([401, "unauthorized", "Bearer"]);
    }
    expect((await list(await email.token(person))).status).toBe(200);
  });

  it("gives owners access to their company, staff to every company, and members to none", async () => {
    const company = createCompany();
    const owner = await email.token({ isOwner: true, companyId: company });
    const member = await email.token({ companyId: company });
    const staff = await email.token({ isStaff: true });
    const nobody = await email.token({ isOwner: true });
    expect((await list(owner, `?company_id=${company}`)).status).toBe(200);
    expect(await list(owner, `?company_id=${createCompany()}`)).toMatchObject({
      status: 403,
      code: "company_mismatch",
    });
    expect(await list(member)).toMatchObject({ status: 403, code: "forbidden" });
    expect((await list(staff, `?company_id=${company}`)).status).toBe(200);
    expect(await list(staff)).toMatchObject({ status: 400, code: "validation_failed" });
    expect(await list(nobody, `?company_id=${company}`)).toMatchObject({ status: 403, code: "forbidden" });
  });

  it("fetches the key set once in 900 s, and at most once in 30 s for an unknown key", async () => {
    const instance = await startEmail();
    const person = { isOwner: true, companyId: createCompany() };
    const real = clock.now;
    try {
      const start = Date.now();
      let now = start;
      clock.now = () => now;
      await list(await instance.token(person, { exp: Math.floor(start / 1000) + 9000 }), "", instance);
      await list(await instance.token(person), "", instance);
      expect(instance.keySetReads()).toBe(1);
      await list(await instance.token(person, {}, { kid: "new" }), "", instance);
      expect(instance.keySetReads()).toBe(1);
      now = start + 31_000;
      await list(await instance.token(person, {}, { kid: "new" }), "", instance);
      await list(await instance.token(person, {}, { kid: "new" }), "", instance);
      expect(instance.keySetReads()).toBe(2);
      now = start + 31_000 + 901_000;
      await list(await instance.token(person, { exp: Math.floor(start / 1000) + 9000 }), "", instance);
      expect(instance.keySetReads()).toBe(3);
    } finally {
      clock.now = real;
    }
  });
});

describe("a key set that cannot be read", () => {
  it("fetches an unavailable key set for unknown keys once in 30 s, while known keys still verify", async () => {
    const instance = await startEmail();
    const person = { isOwner: true, companyId: createCompany() };
    const tokenOfCachedKey = await instance.token(person);
    const tokenOfUnknownKey = await instance.token(person, {}, { kid: "new" });
    expect((await list(tokenOfCachedKey, "", instance)).status).toBe(200);
    instance.loseKeySet();
    const real = clock.now;
    const start = Date.now();
    try {
      for (const [seconds, reads] of [
        [31, 2],
        [40, 2],
        [62, 3],
      ] as const) {
        clock.now = () => start + seconds * 1000;
        expect(await list(tokenOfUnknownKey, "", instance)).toMatchObject({ status: 503, code: "service_unavailable" });
        expect(instance.keySetReads()).toBe(reads);
        expect((await list(tokenOfCachedKey, "", instance)).status).toBe(200);
      }
    } finally {
      clock.now = real;
    }
  });
});

describe("introspection", () => {
  const inactive = (status: number, error_code: string) => async () => ({ active: false as const, status, error_code });
  const post = async (worker: typeof email, bearer: string) => {
    const response = await worker.call(`/api/v1/messages/${"0".repeat(32)}/cancel`, { bearer, method: "POST" });
    return { status: response.status, code: ((await response.json()) as { error_code: string }).error_code };
  };

  it("introspects every PAT and every mutation, but not a read with a session", async () => {
    const instance = await startEmail();
    const companyId = createCompany();
    await list(await instance.token({ isOwner: true, companyId }), "", instance);
    expect(instance.introspected).toHaveLength(0);
    await list(await instance.token({ isOwner: true, companyId, pat: {} }), "", instance);
    await post(instance, await instance.token({ isOwner: true, companyId }));
    expect(instance.introspected.map(({ method }) => method)).toEqual(["GET", "POST"]);
  });

  it("sends the client's network to introspection, and no network for an invalid address", async () => {
    const instance = await startEmail();
    const token = await instance.token({ isOwner: true, companyId: createCompany(), pat: {} });
    for (const address of ["203.0.113.77", "2001:db8:7:8::9", "::ffff:198.51.100.4", "nonsense"]) {
      await instance.call("/api/v1/messages", { bearer: token, headers: { "cf-connecting-ip": address } });
    }
    expect(instance.introspected.map(({ network }) => network)).toEqual([
      "203.0.113.0/24",
      "2001:db8:7::/48",
      "198.51.100.0/24",
      undefined,
    ]);
  });

  it("rejects a revoked PAT immediately, including a read-only PAT", async () => {
    const instance = await startEmail();
    const companyId = createCompany();
    for (const readOnly of [false, true]) {
      const token = await instance.token({ isOwner: true, companyId, pat: { readOnly } });
      expect((await list(token, "", instance)).status).toBe(200);
      instance.revoke(token);
      expect(await list(token, "", instance)).toMatchObject({ status: 401, code: "unauthorized" });
      expect(await post(instance, token)).toEqual({ status: 401, code: "unauthorized" });
    }
  });

  it("rejects a read-only PAT for every operation that changes data, before it checks scope, row and body", async () => {
    const operations = operationsOf(await readDocument(email.call));
    const token = await email.token({ isOwner: true, companyId: createCompany(), pat: { readOnly: true } });
    const operationsThatChange = operations.filter(
      ({ method, operation }) => method !== "get" && operation.security?.length,
    );
    expect(operationsThatChange.length).toBeGreaterThan(8);
    for (const { method, path } of operationsThatChange) {
      const target = `${path.replace(/\{[^}]+\}/g, "nonsense")}?company_id=x`;
      const init = { method: method.toUpperCase(), headers: { "content-type": "text/plain" }, body: "{" };
      const response = await email.call(target, { ...init, bearer: token });
      const { error_code } = (await response.json()) as { error_code: string };
      // Service routes accept no access token.
      const isServiceRoute = /^\/api\/v1\/(?:send|events|emails)/.test(path);
      const expected = isServiceRoute ? [401, "unauthorized"] : [403, "pat_read_only"];
      expect([response.status, error_code], `${method} ${path}`).toEqual(expected);
    }
  });

  it.each([
    [401, "token_invalid", 401, "unauthorized"],
    [403, "pat_read_only", 403, "pat_read_only"],
    [403, "access_denied", 403, "forbidden"],
  ])("turns introspection's %i %s into %i %s", async (status, code, expectedStatus, expectedCode) => {
    const instance = await startEmail({ introspect: inactive(status, code) });
    const token = await instance.token({ isOwner: true, companyId: createCompany() });
    expect(await post(instance, token)).toEqual({ status: expectedStatus, code: expectedCode });
  });

  it("returns 503 when identity does not respond to introspection", async () => {
    const instance = await startEmail({ introspect: () => Promise.reject(new Error("unavailable")) });
    const token = await instance.token({ isOwner: true, companyId: createCompany() });
    expect(await post(instance, token)).toEqual({ status: 503, code: "service_unavailable" });
  });

  it("uses the live roles from introspection, not those of the token", async () => {
    const companyId = createCompany();
    const instance = await startEmail({
      introspect: async () => ({
        active: true,
        kind: "pat",
        user_id: 7,
        company_id: companyId,
        email: "a@b.co",
        is_staff: false,
        is_company_owner: false,
        groups: [],
        exp: 0,
      }),
    });
    expect(await list(await instance.token({ isOwner: true, companyId, pat: {} }), "", instance)).toMatchObject({
      status: 403,
    });
  });

  it.each([0, -1])("requires company_id for a mutation when the staff token has company %i", async (company_id) => {
    const instance = await startEmail({
      introspect: async () => ({
        active: true,
        kind: "session",
        user_id: createCompany(),
        company_id,
        email: "staff@platform.example.com",
        is_staff: true,
        is_company_owner: false,
        groups: [],
        exp: 0,
      }),
    });
    const bearer = await instance.token({ isStaff: true });
    const put = async (query: string) => {
      const json = { provider: "api", from_email: "a@aster.example", credentials: { api_key: "re_key_12345678" } };
      const response = await instance.call(`/api/v1/provider${query}`, { method: "PUT", bearer, json });
      return [response.status, await response.json()] as const;
    };
    expect(await put("")).toMatchObject([
      400,
      { error_code: "validation_failed", field_errors: { company_id: ["required"] } },
    ]);
    const companyId = createCompany();
    expect(await put(`?company_id=${companyId}`)).toMatchObject([200, { company_id: companyId }]);
  });
});
