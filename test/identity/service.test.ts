import { describe, expect, it } from "vitest";
import { callIdentity, createMailbox, identityEnv } from "../support/identity/identity";

const code = async (response: Response) => [
  response.status,
  (await response.json<{ error_code: string }>()).error_code,
];

const startService = (mailbox: ReturnType<typeof createMailbox>) => {
  const env = identityEnv(mailbox);
  return (path: string, init: RequestInit = {}) => callIdentity(env, path, init);
};

describe("identity service", () => {
  it("publishes its keys and health, accepts a trailing slash, and returns 404, or 405 with Allow", async () => {
    const call = startService(createMailbox());
    const jwks = await (await call("/.well-known/jwks.json/")).json<{ keys: object[] }>();
    expect(jwks.keys).toHaveLength(1);
    expect(jwks.keys[0]).toMatchObject({ kty: "RSA", use: "sig", alg: "RS256" });
    expect(await (await call("/api/v1/health")).json()).toMatchObject({ status: "ok" });
    expect(await code(await call("/nothing"))).toEqual([404, "not_found"]);
    const wrong = await call("/api/v1/settings", { method: "DELETE" });
    expect(wrong.headers.get("allow")).toBe("GET, HEAD");
    expect(await code(wrong)).toEqual([405, "method_not_allowed"]);
    const preflight = await call("/api/v1/token", {
      method: "OPTIONS",
      headers: { origin: "https://app.example.com", "access-control-request-method": "POST" },
    });
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
  });

  it("returns 503 on every route and degraded health when a setting is invalid or missing", async () => {
    const mailbox = createMailbox();
    for (const vars of [
      { JWT_ISSUER: "ftp://x" },
      { SECRET_KEY: "short" },
      { SECRET_KEY_PREVIOUS: "short" },
      { JWT_PRIVATE_KEY: "nonsense" },
      { JWT_PREVIOUS_PUBLIC_KEY: "nonsense" },
    ]) {
      const env = identityEnv(mailbox, vars);
      const health = await callIdentity(env, "/api/v1/health");
      expect([health.status, (await health.json<{ status: string }>()).status]).toEqual([503, "degraded"]);
      for (const path of ["/.well-known/jwks.json", "/api/v1/settings?company_id=1", "/api/v1/oauth/callback", "/x"])
        expect(await code(await callIdentity(env, path))).toEqual([503, "service_unavailable"]);
    }
  });

  it.each([{ EMAIL: undefined }, { EMAIL_SERVICE_API_KEY: "" }])(
    "reports degraded health when it cannot send mail: %j",
    async (vars) => {
      const health = await callIdentity({ ...identityEnv(createMailbox()), ...vars }, "/api/v1/health");
      expect([health.status, await health.json()]).toMatchObject([503, { status: "degraded" }]);
    },
  );

  it.each([
    ["{", "application/json", 400],
    ["[]", "application/json", 400],
    ["null", undefined, 400],
    ['{"a":1}', "text/plain", 415],
    [`{"a":"${"x".repeat(70_000)}"}`, "application/json", 413],
  ])("rejects body %s of type %s with %i", async (body, type, status) => {
    const call = startService(createMailbox());
    const headers: Record<string, string> = type ? { "content-type": type } : {};
    for (const path of [
      "/api/v1/magic-link/request",
      "/api/v1/oauth/session",
      "/api/v1/token?grant_type=refresh_token",
      "/api/v1/logout",
    ]) {
      const request = { method: "POST", headers, body: new TextEncoder().encode(body) };
      expect((await call(path, request)).status).toBe(status);
    }
  });
});
