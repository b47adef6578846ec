import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { type Credential, credentialsFile, readCredential, writeCredential } from "../../../cli/account/credentials.ts";
import { managementEnv } from "../../../cli/account/management-env.ts";
import { findToken } from "../../../cli/account/session.ts";
import { runLogout, runWhoami } from "../../../cli/commands/account.ts";
import { runLogin } from "../../../cli/commands/login.ts";
import { makeProject } from "../../support/cli/project.ts";

type Call = { path: string; authorization: string | undefined; body: Record<string, unknown> };

const user = {
  email: "mina@aster.example",
  app_metadata: { company_id: 7 },
  user_metadata: { is_staff: false, is_company_owner: true },
};
const secrets = ["access-1", "refresh-1", "access-2", "refresh-2"];

/** Starts a service with sign-in, refresh and logout, and creates a project that uses it. */
async function project(context: TestContext, backend = "") {
  const calls: Call[] = [];
  let failure: { status: number; body: unknown } | undefined;
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const path = request.url ?? "";
    calls.push({ path, authorization: request.headers.authorization, body: text === "" ? {} : JSON.parse(text) });
    const tokens = (n: number) => ({ access_token: `access-${n}`, refresh_token: `refresh-${n}`, expires_in: "3600" });
    const responses: Record<string, unknown> = {
      "/api/v1/oauth/session": tokens(1),
      "/api/v1/user": user,
      "/api/v1/logout": {},
    };
    const body = failure?.body ?? (path.startsWith("/api/v1/token") ? tokens(2) : responses[path]);
    response.writeHead(failure?.status ?? 200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  context.onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cwd = makeProject(context, {
    "platform.config.json": `{ "backend": { "type": "platform", "url": "${url}", "companyId": 7 ${backend} } }`,
  });
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, XDG_CONFIG_HOME: join(cwd, "settings"), CI: "1" };
  const lines: string[] = [];
  const output = { out: (line: string) => lines.push(line), err: (line: string) => lines.push(line) };
  const failRequests = (status: number, body: unknown) => {
    failure = { status, body };
  };
  const file = credentialsFile(env);
  const account = { url, companyId: 7 };
  const store = (expiresIn: number): void => {
    const credential: Credential = {
      accessToken: "access-1",
      refreshToken: "refresh-1",
      expiresAt: Date.now() / 1000 + expiresIn,
    };
    writeCredential(file, account, credential);
  };
  const login = (waitMs?: number) =>
    runLogin({ root: undefined, provider: "github", opensBrowser: true, ...(waitMs && { waitMs }) }, output, cwd, env);
  const readAuthorizeUrl = async (): Promise<URL> => {
    await expect.poll(() => lines.length, { timeout: 10_000 }).toBeGreaterThan(0);
    return new URL(lines[0]?.replace("Sign in at ", "") ?? "");
  };
  context.onTestFinished(() => {
    for (const secret of secrets) expect(lines.join("\n")).not.toContain(secret);
  });
  return { url, cwd, env, lines, output, calls, failRequests, file, account, store, login, readAuthorizeUrl };
}

describe("platform login, whoami and logout", { timeout: 30_000 }, () => {
  it("signs in with PKCE, rejects a different state, and stores the tokens in a file that only the user can read", async (context) => {
    const { login, readAuthorizeUrl, calls, file, account, lines, url } = await project(context);
    const ended = login();
    const { origin, pathname, searchParams } = await readAuthorizeUrl();
    expect(`${origin}${pathname}`).toBe(`${url}/api/v1/authorize`);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      company_id: "7",
      provider: "github",
      code_challenge_method: "S256",
    });
    const callbackUrl = new URL(searchParams.get("redirect_to") ?? "");
    expect(callbackUrl.hostname).toBe("127.0.0.1");
    const withWrongState = new URL(callbackUrl);
    withWrongState.searchParams.set("state", "x");
    withWrongState.searchParams.set("platform_auth_code", "stolen");
    expect((await fetch(withWrongState)).status).toBe(400);
    expect((await fetch(new URL("/other", callbackUrl))).status).toBe(404);
    const withCode = new URL(callbackUrl);
    withCode.searchParams.set("platform_auth_code", "the-code");
    expect((await fetch(withCode)).status).toBe(200);
    expect(await ended).toBe(0);
    const body: Record<string, unknown> = calls[0]?.body ?? {};
    expect(calls).toHaveLength(1);
    expect(body).toMatchObject({ auth_code: "the-code", redirect_to: callbackUrl.href, company_id: 7 });
    const challenge = createHash("sha256").update(String(body.code_verifier)).digest("base64url");
    expect(challenge).toBe(searchParams.get("code_challenge"));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, "..")).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(file, ".."))).toEqual(["credentials.json"]);
    expect(readCredential(file, account)).toMatchObject({ accessToken: "access-1", refreshToken: "refresh-1" });
    expect(lines.join()).not.toContain(String(body.code_verifier));
  });

  it("uses the shell's own sign-in page when its URL is known", async (context) => {
    const { login, readAuthorizeUrl } = await project(context, ', "loginUrl": "https://app.example.com/"');
    const ended = login(500);
    const { origin, pathname, searchParams } = await readAuthorizeUrl();
    expect(`${origin}${pathname}`).toBe("https://app.example.com/login");
    expect(searchParams.get("platform_cli_redirect")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback\?state=/);
    expect(searchParams.get("code_challenge")).toHaveLength(43);
    expect(await ended).toBe(1);
  });

  it("exits with 1 when the provider or the token exchange rejects the sign-in", async (context) => {
    const { login, readAuthorizeUrl, lines, failRequests, file } = await project(context);
    let ended = login();
    const callbackUrl = new URL((await readAuthorizeUrl()).searchParams.get("redirect_to") ?? "");
    callbackUrl.searchParams.set("platform_oauth_error_code", "access_denied");
    await fetch(callbackUrl);
    expect(await ended).toBe(1);
    expect(lines.at(-1)).toContain("access_denied");
    lines.length = 0;
    failRequests(400, { error_code: "auth_code_invalid", message: "<b>text of the service</b>", request_id: "r-1" });
    ended = login();
    const secondBack = new URL((await readAuthorizeUrl()).searchParams.get("redirect_to") ?? "");
    secondBack.searchParams.set("platform_auth_code", "x");
    await fetch(secondBack);
    expect(await ended).toBe(1);
    expect(lines.at(-1)).toContain("auth_code_invalid (request r-1)");
    expect(lines.join()).not.toContain("text of the service");
    expect(existsSync(file)).toBe(false);
  });

  it("shows the signed-in user, and exits with 1 without one", async (context) => {
    const { cwd, env, output, lines, store, calls, failRequests } = await project(context);
    expect(await runWhoami(undefined, output, cwd, env)).toBe(1);
    store(3600);
    expect(await runWhoami(undefined, output, cwd, env)).toBe(0);
    expect(lines.join("\n")).toMatch(/mina@aster\.example[\s\S]*company {2}7[\s\S]*owner/);
    expect(calls.at(-1)?.authorization).toBe("Bearer access-1");
    await runWhoami(undefined, output, cwd, { ...env, PLATFORM_TOKEN: "pat" });
    expect(calls.at(-1)?.authorization).toBe("Bearer pat");
    failRequests(401, { error_code: "token_invalid" });
    expect(await runWhoami(undefined, output, cwd, env)).toBe(1);
  });

  it("refreshes expiring tokens once for many parallel commands", async (context) => {
    const { env, account, store, calls, file, failRequests } = await project(context);
    store(30);
    const tokens = await Promise.all(Array.from({ length: 5 }, () => findToken(account, env)));
    expect(new Set(tokens)).toEqual(new Set(["access-2"]));
    expect(calls.map(({ path }) => path)).toEqual(["/api/v1/token?grant_type=refresh_token"]);
    expect(existsSync(`${file}.lock`)).toBe(false);
    store(30);
    failRequests(401, { error_code: "refresh_token_reused" });
    expect(await findToken(account, env)).toBeUndefined();
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({});
  });

  it("signs out locally even when the service is unreachable or nobody is signed in", async (context) => {
    const { cwd, env, output, store, calls, failRequests, file, account } = await project(context);
    expect(await runLogout(undefined, output, cwd, env)).toBe(0);
    store(3600);
    expect(await runLogout(undefined, output, cwd, env)).toBe(0);
    expect(calls.at(-1)).toMatchObject({
      path: "/api/v1/logout",
      authorization: "Bearer access-1",
      body: { refresh_token: "refresh-1" },
    });
    store(3600);
    failRequests(503, {});
    expect(await runLogout(undefined, output, cwd, env)).toBe(0);
    expect(readCredential(file, account)).toBeUndefined();
  });

  it("uses the stored tokens only for management requests to the same origin", async (context) => {
    const { cwd, env, url, store } = await project(context);
    store(3600);
    expect(await managementEnv("identity", undefined, env, cwd)).toMatchObject({
      PLATFORM_IDENTITY_URL: url,
      PLATFORM_TOKEN: "access-1",
    });
    expect((await managementEnv("identity", "https://evil.example.com", env, cwd)).PLATFORM_TOKEN).toBeUndefined();
    expect(await managementEnv("email", undefined, env, cwd)).toEqual(env);
    const withToken = { ...env, PLATFORM_TOKEN: "pat" };
    expect((await managementEnv("identity", url, withToken, cwd)).PLATFORM_TOKEN).toBe("pat");
  });
});
