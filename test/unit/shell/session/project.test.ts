import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSupabaseAdapter } from "../../../../shell/client/src/session/adapters/supabase.ts";
import { type GoTrue, startGoTrue } from "../../../support/gotrue/gotrue.ts";

let project: GoTrue;
beforeAll(async () => {
  project = await startGoTrue();
});
afterAll(() => project.close());

const redirectTo = "http://localhost:3000/login/callback";

describe("the project adapter against our fake GoTrue server", () => {
  const adapter = () => createSupabaseAdapter({ type: "supabase", url: project.url, publishableKey: "public-key" });
  const refused = (promise: Promise<unknown>) => expect(promise).rejects;

  async function signIn(email: string) {
    const projectAdapter = adapter();
    await projectAdapter.requestLink({ email, redirectTo, language: "en" });
    return { projectAdapter, tokens: await projectAdapter.verifyCode({ email, code: project.mailTo(email).code }) };
  }

  test("sends no header that CORS would block", async () => {
    const { projectAdapter, tokens } = await signIn("head@adapter.example");
    const headerNames = new Set<string>();
    const real = globalThis.fetch;
    globalThis.fetch = (input, init) => {
      for (const [name] of new Headers(init?.headers)) headerNames.add(name);
      return real(input, init);
    };
    try {
      await projectAdapter.saveName(tokens.accessToken, "Head");
      await projectAdapter.logout(tokens);
    } finally {
      globalThis.fetch = real;
    }
    expect([...headerNames].toSorted()).toEqual(["accept", "apikey", "authorization", "content-type"]);
  });

  test("treats a session as ended after a sign-out or a reused refresh token", async () => {
    const { projectAdapter, tokens } = await signIn("over@adapter.example");
    const next = await projectAdapter.refresh(tokens.refreshToken);
    await projectAdapter.refresh(next.refreshToken);
    await refused(projectAdapter.refresh(tokens.refreshToken)).toMatchObject({ status: 401, code: "token_invalid" });
    const other = await signIn("ended@adapter.example");
    project.endSessions("ended@adapter.example");
    await refused(projectAdapter.refresh(other.tokens.refreshToken)).toMatchObject({
      status: 401,
      code: "token_invalid",
    });
    await refused(projectAdapter.saveName(other.tokens.accessToken, "x")).toMatchObject({
      status: 401,
      code: "token_invalid",
    });
  });

  test("keeps the session when the gateway rejects the API key", async () => {
    const { tokens } = await signIn("key@adapter.example");
    const other = createSupabaseAdapter({ type: "supabase", url: project.url, publishableKey: "old" });
    await refused(other.refresh(tokens.refreshToken)).toMatchObject({ code: "service_unavailable", status: 503 });
  });

  test("maps GoTrue's errors to the shell's error codes", async () => {
    const projectAdapter = adapter();
    const email = "twice@adapter.example";
    const requestAgain = () => projectAdapter.requestLink({ email, redirectTo, language: "en" });
    await requestAgain();
    await refused(requestAgain()).toMatchObject({ code: "rate_limited", status: 429 });
    await refused(projectAdapter.verifyCode({ email, code: "nothing" })).toMatchObject({
      code: "sign_in_code_invalid",
    });
    await refused(projectAdapter.exchangeCode({ code: "none", redirectTo, verifier: "v" })).toMatchObject({
      code: "invalid_oauth_state",
    });
    Object.assign(project.settings, { email: false, disableSignup: true });
    await refused(requestAgain()).toMatchObject({ code: "magic_link_disabled" });
    project.settings.email = true;
    const newcomer = projectAdapter.requestLink({ email: "new@adapter.example", redirectTo, language: "en" });
    await refused(newcomer).toMatchObject({ code: "access_denied" });
    project.settings.disableSignup = false;
  });
});
