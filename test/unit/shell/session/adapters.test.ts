import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { call } from "../../../../shell/client/src/session/adapters/call.ts";
import { createPlatformAdapter } from "../../../../shell/client/src/session/adapters/platform.ts";
import { createSupabaseAdapter } from "../../../../shell/client/src/session/adapters/supabase.ts";
import { toServiceError } from "../../../../shell/client/src/session/service-error.ts";

type RecordedRequest = { line: string; headers: NodeJS.Dict<string | string[]>; body: Record<string, unknown> | null };
type Answer = { status?: number; headers?: Record<string, string>; body?: unknown };

// A server that records requests and returns the responses that the tests set.
let requests: RecordedRequest[] = [];
let answer: Answer = {};
const server = createServer((request, response) => {
  let text = "";
  request.on("data", (chunk: Buffer) => {
    text += chunk;
  });
  request.on("end", () => {
    const { method = "", url = "", headers } = request;
    requests.push({ line: `${method} ${url}`, headers, body: text === "" ? null : JSON.parse(text) });
    const { status = 200, headers: responseHeaders = {}, body } = answer;
    response
      .writeHead(status, responseHeaders)
      .end(body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body));
  });
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  requests = [];
  answer = {};
});

const pair = { access_token: "a", refresh_token: "r", token_type: "bearer", expires_in: 300 };
const tokens = { accessToken: "a", refreshToken: "r", expiresIn: 300 };
const redirectTo = "https://shell.example/login/callback";

describe("the platform adapter", () => {
  const adapter = () => createPlatformAdapter({ type: "platform", url, companyId: 3 });

  test("requests the settings without credentials", async () => {
    answer = { body: { methods: ["magic_link"], sign_in_code: true, magic_link_ttl_seconds: 600 } };
    const settings = { methods: ["magic_link"], providers: [], signInCode: true, linkSeconds: 600 };
    expect(await adapter().liveSettings()).toEqual(settings);
    expect(requests[0]?.line).toBe("GET /api/v1/settings?company_id=3");
    expect(requests[0]?.headers).not.toHaveProperty("authorization");
    expect(requests[0]?.headers).not.toHaveProperty("cookie");
  });

  test("requests a link without credentials, and with a challenge only for a command line tool", async () => {
    await adapter().requestLink({ email: "mina@example.com", redirectTo, language: "fr" });
    await adapter().requestLink({ email: "mina@example.com", redirectTo, language: "fr", challenge: "c".repeat(43) });
    expect(requests[0]).toMatchObject({ line: "POST /api/v1/magic-link/request" });
    expect(requests[0]?.body).toMatchObject({
      company_id: 3,
      email: "mina@example.com",
      redirect_to: redirectTo,
      language: "fr",
    });
    expect(requests[0]?.body?.client_device_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(requests[0]?.body).not.toHaveProperty("code_challenge");
    expect(requests[0]?.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(requests[0]?.headers).not.toHaveProperty("authorization");
    expect(requests[1]?.body).toMatchObject({ code_challenge: "c".repeat(43), code_challenge_method: "S256" });
  });

  test("exchanges codes, refreshes and ends sessions", async () => {
    answer = { body: pair };
    const platform = adapter();
    expect(await platform.verifyCode({ email: "mina@example.com", code: "BCDF2345" })).toEqual(tokens);
    expect(await platform.exchangeCode({ code: "x", redirectTo, verifier: "v" })).toEqual(tokens);
    expect(await platform.exchangeCode({ code: "x", redirectTo })).toEqual(tokens);
    expect(await platform.refresh("r0")).toEqual(tokens);
    await platform.logout({ accessToken: "a", refreshToken: "r" });
    await platform.logout({ accessToken: null, refreshToken: "r" });
    expect(requests.map(({ line }) => line)).toEqual([
      "POST /api/v1/magic-link/verify",
      "POST /api/v1/oauth/session",
      "POST /api/v1/oauth/session",
      "POST /api/v1/token?grant_type=refresh_token",
      "POST /api/v1/logout",
      "POST /api/v1/logout",
    ]);
    expect(requests[0]?.body).toEqual({ company_id: 3, email: "mina@example.com", code: "BCDF2345" });
    expect(requests[1]?.body).toEqual({ auth_code: "x", redirect_to: redirectTo, company_id: 3, code_verifier: "v" });
    expect(requests[2]?.body).not.toHaveProperty("code_verifier");
    expect(requests[3]?.body).toMatchObject({ refresh_token: "r0" });
    expect(requests[3]?.headers).not.toHaveProperty("authorization");
    expect(requests[4]?.headers.authorization).toBe("Bearer a");
    expect(requests[5]?.headers).not.toHaveProperty("authorization");
  });

  test("redirects to a provider with a challenge", () => {
    const address = new URL(adapter().authorizeUrl({ provider: "google", redirectTo, challenge: "c" }));
    expect(address.pathname).toBe("/api/v1/authorize");
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      company_id: "3",
      provider: "google",
      redirect_to: redirectTo,
      code_challenge: "c",
      code_challenge_method: "S256",
    });
  });

  test("sends only the two languages that the service supports", async () => {
    await adapter().savePreferences("a", { language: "de", colorScheme: "dark" });
    await adapter().savePreferences("a", { language: "de" });
    expect(requests.map(({ line, body }) => [line, body])).toEqual([
      ["PUT /api/v1/preferences", { colorScheme: "dark" }],
    ]);
  });

  test("sends no request without a company", async () => {
    const platform = createPlatformAdapter({ type: "platform", url });
    await expect(platform.liveSettings()).rejects.toMatchObject({ code: "no_company" });
    await expect(platform.requestLink({ email: "a@b.co", redirectTo, language: "en" })).rejects.toMatchObject({
      code: "no_company",
    });
    expect(requests).toEqual([]);
  });
});

describe("the project adapter", () => {
  const adapter = () => createSupabaseAdapter({ type: "supabase", url, publishableKey: "key" });

  test("sends its key with every request, and as bearer token when signed out", async () => {
    const project = adapter();
    answer = { body: { external: { email: true } } };
    await project.liveSettings();
    await project.requestLink({ email: "mina@example.com", redirectTo, language: "en" });
    answer = { body: pair };
    expect(await project.verifyCode({ email: "mina@example.com", code: "123456" })).toEqual(tokens);
    expect(await project.exchangeCode({ code: "x", redirectTo, verifier: "v" })).toEqual(tokens);
    expect(await project.refresh("r0")).toEqual(tokens);
    await project.logout({ accessToken: "a", refreshToken: "r" });
    answer = { body: { user_metadata: { platformPreferences: { themeName: "sea" } } } };
    await project.savePreferences("a", { language: "de" });
    expect(requests.map(({ line, body }) => [line, body])).toEqual([
      ["GET /auth/v1/settings", null],
      [
        `POST /auth/v1/otp?redirect_to=${encodeURIComponent(redirectTo)}`,
        { email: "mina@example.com", create_user: true },
      ],
      ["POST /auth/v1/verify", { type: "email", email: "mina@example.com", token: "123456" }],
      ["POST /auth/v1/token?grant_type=pkce", { auth_code: "x", code_verifier: "v" }],
      ["POST /auth/v1/token?grant_type=refresh_token", { refresh_token: "r0" }],
      ["POST /auth/v1/logout?scope=local", null],
      ["GET /auth/v1/user", null],
      ["PUT /auth/v1/user", { data: { platformPreferences: { themeName: "sea", language: "de" } } }],
    ]);
    expect(requests.map(({ headers }) => headers.apikey)).toEqual(requests.map(() => "key"));
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      ...Array.from({ length: 5 }, () => "Bearer key"),
      ...Array.from({ length: 3 }, () => "Bearer a"),
    ]);
  });
});

describe("an error response", () => {
  const refused = async () => toServiceError(await call(url).catch((error: unknown) => error));

  test.each([
    [{ status: 401, body: { error_code: "token_invalid", message: "x", request_id: "id" } }, "token_invalid", null],
    [{ status: 429, headers: { "Retry-After": "30" }, body: { error_code: "rate_limited" } }, "rate_limited", 30],
    [{ status: 429, body: "" }, "rate_limited", null],
    [{ status: 403, body: "<html>" }, "forbidden", null],
    [{ status: 502, body: "<html>" }, "service_unavailable", null],
    [{ status: 404, body: {} }, "http_404", null],
    [{ status: 400, body: { error_code: "Not a code!" } }, "http_400", null],
  ])("%j is mapped to the error %s", async (response, code, retryAfter) => {
    answer = response;
    expect(await refused()).toMatchObject({ code, retryAfter, status: response.status });
  });

  test("is `unreachable` without a response", async () => {
    const error = await call("http://127.0.0.1:1").catch((caught: unknown) => caught);
    expect(toServiceError(error)).toMatchObject({ code: "unreachable", status: 0 });
    expect(toServiceError("anything")).toMatchObject({ code: "unreachable", status: 0 });
  });
});
