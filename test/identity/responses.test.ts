import { describe, expect, it } from "vitest";
import { failingDatabase } from "../support/db/failing-database";
import {
  callIdentity,
  createCompany,
  createMailbox,
  freshEmail,
  identityEnv,
  json,
} from "../support/identity/identity";
import { beforeTimer } from "../support/wall-clock";

const env = identityEnv(createMailbox());
const app = "https://app.example.com";

/** Settings of a production deployment. */
const deployed = identityEnv(createMailbox(), {
  DEBUG: "false",
  JWT_ISSUER: "https://id.example.com",
  ACTIONS_WEBHOOK_ALLOW_PRIVATE: "",
});

const apiRequests: [string, RequestInit][] = [
  ["/api/v1/settings?company_id=1", {}],
  ["/api/v1/settings", {}],
  ["/api/v1/user", {}],
  ["/api/v1/nothing", {}],
  ["/api/v1/token", { method: "DELETE" }],
  ["/api/v1/token", json({})],
  ["/api/v1/health", {}],
];
const pages: [string, RequestInit][] = [
  ["/api/v1/magic-link/verify", {}],
  ["/api/v1/magic-link/verify?token=x&company_id=1", { headers: { accept: "text/html" } }],
  ["/api/v1/authorize", {}],
  ["/api/v1/authorize?company_id=1&redirect_to=http://localhost/&provider=x", {}],
  ["/api/v1/oauth/callback?state=x", {}],
  ["/api/v1/oauth/callback", { method: "POST" }],
];

const withOrigin = (init: RequestInit, origin = app): RequestInit => ({
  ...init,
  headers: { ...(init.headers as Record<string, string> | undefined), origin },
});

describe("responses of identity", () => {
  it.each([...apiRequests, ...pages])(
    "forbids caching, sniffing and framing of %s %j, and returns the request id",
    async (path, init) => {
      for (const bindings of [env, deployed]) {
        const { headers } = await callIdentity(bindings, path, init);
        expect(headers.get("cache-control")).toBe("no-store");
        expect(headers.get("x-content-type-options")).toBe("nosniff");
        expect(headers.get("content-security-policy")).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
        expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
        expect(headers.get("access-control-allow-credentials")).toBeNull();
        const isDeployed = bindings === deployed;
        expect(headers.get("strict-transport-security")?.startsWith("max-age=") ?? false).toBe(isDeployed);
      }
    },
  );

  it("accepts a request id of 1 to 64 characters, and replaces all others", async () => {
    const requestIdFor = async (sentId: string) => {
      const response = await callIdentity(env, "/api/v1/nothing", { headers: { "x-request-id": sentId } });
      const { request_id } = await response.json<{ request_id: string }>();
      expect(response.headers.get("x-request-id")).toBe(request_id);
      return request_id;
    };
    for (const good of ["a", "A.b_c-9", "x".repeat(64)]) expect(await requestIdFor(good)).toBe(good);
    for (const bad of ["a b", "x".repeat(65), "a/b", "a,b"]) expect(await requestIdFor(bad)).toMatch(/^[0-9a-f-]{36}$/);
  });
});

it("lists the methods of every path in Allow, including the documentation", async () => {
  const documentation = ["/api/docs/", "/api/docs/redoc", "/api/schema/"];
  const scim = ["/api/docs/scim", "/api/docs/scim/redoc", "/api/schema/scim.json"];
  for (const path of [...documentation, ...scim, "/.well-known/jwks.json", "/api/v1/authorize"]) {
    const wrong = await callIdentity(env, path, { method: "POST" });
    expect([wrong.status, wrong.headers.get("allow"), path]).toEqual([405, "GET, HEAD", path]);
    expect(await wrong.json()).toMatchObject({ error_code: "method_not_allowed" });
  }
});

it("contains the service's URL in the OpenAPI documents, with and without a trailing slash", async () => {
  for (const path of ["/api/schema", "/api/schema/", "/api/schema/scim.json", "/api/schema/scim.json/"]) {
    const { servers } = await (await callIdentity(env, path)).json<{ servers: { url: string }[] }>();
    const resolved = new URL(servers[0]?.url ?? "", `https://hub.example/identity${path}`);
    expect([path, servers.length, resolved.href]).toEqual([path, 1, "https://hub.example/identity/"]);
  }
});

it("serves the OpenAPI document of the SCIM endpoints, and pages that show it", async () => {
  const document = await (await callIdentity(env, "/api/schema/scim.json")).json<{ paths: object }>();
  expect(Object.keys(document.paths)).toContain("/api/v1/companies/{company}/scim/v2/Users/{id}");
  for (const path of ["/api/docs/scim", "/api/docs/scim/", "/api/docs/scim/redoc", "/api/docs/scim/redoc/"]) {
    const [, link = ""] = /data-schema="([^"]+)"/.exec(await (await callIdentity(env, path)).text()) ?? [];
    expect([path, new URL(link, `https://hub.example/identity${path}`).pathname]).toEqual([
      path,
      "/identity/api/schema/scim.json",
    ]);
  }
});

it("serves a key set that contains only public keys and may be cached for 900 s", async () => {
  const response = await callIdentity(env, "/.well-known/jwks.json");
  expect(response.headers.get("cache-control")).toBe("public, max-age=900");
  const { keys } = await response.json<{ keys: Record<string, string>[] }>();
  for (const key of keys) {
    expect(Object.keys(key).sort()).toEqual(["alg", "e", "kid", "kty", "n", "use"]);
    expect(key).toMatchObject({ kty: "RSA", use: "sig", alg: "RS256" });
  }
});

describe("CORS", () => {
  it.each(apiRequests)(
    "lets scripts of any site read %s, or only of listed sites when there is a list",
    async (path, init) => {
      const open = await callIdentity(env, path, withOrigin(init));
      expect(open.headers.get("access-control-allow-origin")).toBe("*");
      expect(open.headers.get("access-control-expose-headers")).toBe(
        "X-Request-ID, Retry-After, WWW-Authenticate, X-Platform-Bookmark",
      );
      const listing = identityEnv(createMailbox(), { CORS_ALLOWED_ORIGINS: `https://x.example, ${app}` });
      const listed = await callIdentity(listing, path, withOrigin(init));
      expect([listed.headers.get("access-control-allow-origin"), listed.headers.get("vary")]).toEqual([app, "Origin"]);
      for (const other of ["https://evil.example", `${app}:444`, "null"]) {
        const { headers } = await callIdentity(listing, path, withOrigin(init, other));
        expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
      }
    },
  );

  it("allows the documented headers in a preflight", async () => {
    const preflight = { method: "OPTIONS", headers: { origin: app, "access-control-request-method": "POST" } };
    const { status, headers } = await callIdentity(env, "/api/v1/magic-link/verify", preflight);
    expect([status, headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    expect(headers.get("access-control-allow-headers")).toBe(
      "Authorization, Content-Type, X-Request-ID, X-Platform-Client-Timezone, X-Platform-Bookmark",
    );
  });

  it.each(pages)("lets no script read the page %s %j, its errors or its preflight", async (path, init) => {
    const preflight = {
      method: "OPTIONS",
      headers: { origin: app, "access-control-request-method": init.method ?? "GET" },
    };
    for (const request of [withOrigin(init), preflight]) {
      const { headers } = await callIdentity(env, path, request);
      expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });
});

it("requires no credential at sign-in endpoints, and ignores an invalid one", async () => {
  const company = await createCompany();
  const { id } = company;
  const redirectTo = encodeURIComponent(company.origin);
  const openRequests: [string, RequestInit][] = [
    ["/api/v1/magic-link/request", json({ company_id: id, email: freshEmail(), redirect_to: company.origin })],
    ["/api/v1/magic-link/verify", json({ company_id: id, token: "x" })],
    [`/api/v1/magic-link/verify?company_id=${id}&token=x`, {}],
    [`/api/v1/settings?company_id=${id}`, {}],
    [`/api/v1/authorize?company_id=${id}&redirect_to=${redirectTo}`, {}],
    ["/api/v1/oauth/callback?state=x", {}],
    ["/api/v1/oauth/session", json({ auth_code: "x", redirect_to: company.origin })],
    ["/.well-known/jwks.json", {}],
    ["/api/v1/health", {}],
  ];
  for (const [path, init] of openRequests) {
    const without = await callIdentity(env, path, init);
    expect([401, 500, 503]).not.toContain(without.status);
    for (const authorization of ["Bearer stale.token.x", "Bearer", "Basic eDp5", "nonsense"]) {
      const headers = { ...(init.headers as Record<string, string> | undefined), authorization };
      expect((await callIdentity(env, path, { ...init, headers })).status).toBe(without.status);
    }
  }
});

describe("health", () => {
  const health = async (bindings: typeof env) => {
    const response = await callIdentity(bindings, "/api/v1/health");
    return [response.status, await response.json()];
  };

  it("returns ok with the version, and degraded without an email key or while the database fails or does not respond", async () => {
    expect(await health(env)).toEqual([200, { status: "ok", version: expect.any(String) }]);
    const degraded = [503, { status: "degraded", version: expect.any(String) }];
    expect(await health(identityEnv(createMailbox(), { EMAIL_SERVICE_API_KEY: "" }))).toEqual(degraded);
    expect(await health({ ...env, DB: failingDatabase })).toEqual(degraded);
    const pending = () => new Promise<never>(() => {});
    const statement = { bind: () => statement, all: pending, first: pending, run: pending, raw: pending };
    const silent = { withSession: () => ({ prepare: () => statement, batch: pending, getBookmark: () => null }) };
    const silentHealth = () => health({ ...env, DB: silent as unknown as D1Database });
    expect(await beforeTimer(3500, silentHealth)).toEqual(degraded);
  });
});
