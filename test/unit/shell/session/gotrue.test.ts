import { AuthClient } from "@supabase/auth-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GoTrue, startGoTrue } from "../../../support/gotrue/gotrue.ts";
import { createWallet } from "../../../support/gotrue/wallet.ts";

let project: GoTrue;
beforeAll(async () => {
  project = await startGoTrue();
});
afterAll(() => project.close());

const redirectTo = "http://localhost:3000/login/callback?next=%2Forders";
/** Returns the URL that a browser would be redirected to. */
const followed = async (address: string) =>
  new URL((await fetch(address, { redirect: "manual" })).headers.get("location") ?? "");
const fragmentOf = ({ hash }: URL) => new URLSearchParams(hash.slice(1));

describe("the official client against our fake GoTrue server", () => {
  /** Creates the official client with a storage that, as in a browser, keeps a verifier across pages. */
  function official(flowType: "implicit" | "pkce" = "implicit") {
    const storage = new Map<string, string>();
    return new AuthClient({
      url: `${project.url}/auth/v1`,
      headers: { apikey: project.publishableKey },
      autoRefreshToken: false,
      flowType,
      storage: {
        getItem: (key) => storage.get(key) ?? null,
        setItem: (key, value) => void storage.set(key, value),
        removeItem: (key) => void storage.delete(key),
      },
    });
  }
  const codeOf = ({ error }: { error: { code?: string | undefined } | null }) => error?.code;

  test("signs in with a code, refreshes, changes the user, and signs out", async () => {
    const client = official();
    const email = "lena@client.example";
    expect((await client.signInWithOtp({ email, options: { emailRedirectTo: redirectTo } })).error).toBeNull();
    expect(codeOf(await client.signInWithOtp({ email }))).toBe("over_email_send_rate_limit");
    expect(codeOf(await client.verifyOtp({ email, token: "no code", type: "email" }))).toBe("otp_expired");
    const { data } = await client.verifyOtp({ email, token: project.mailTo(email).code, type: "email" });
    expect(data.user).toMatchObject({ email, app_metadata: { provider: "email" } });
    const first = data.session?.refresh_token ?? "";
    const { session } = (await client.refreshSession()).data;
    expect(session?.refresh_token).not.toBe(first);
    // A client that lost the response may send the refresh token once more.
    expect((await client.refreshSession({ refresh_token: first })).data.session?.refresh_token).toBe(
      session?.refresh_token,
    );
    await client.refreshSession();
    expect(codeOf(await client.refreshSession({ refresh_token: first }))).toBe("refresh_token_already_used");
    const changed = await client.updateUser({ data: { full_name: "Lena" } });
    expect(changed.data.user?.user_metadata).toMatchObject({ full_name: "Lena", email });
    expect((await client.getUser()).data.user?.user_metadata.full_name).toBe("Lena");
    expect((await client.signOut({ scope: "local" })).error).toBeNull();
    expect(codeOf(await client.refreshSession({ refresh_token: first }))).toBe("refresh_token_not_found");
  });

  test("signs in with a link only once", async () => {
    const client = official();
    const email = "omar@client.example";
    await client.signInWithOtp({ email, options: { emailRedirectTo: redirectTo } });
    const { link } = project.mailTo(email);
    const redirect = await followed(link);
    expect(redirect.href.startsWith(`${redirectTo}#`)).toBe(true);
    const [access_token, refresh_token] = ["access_token", "refresh_token"].map((name) =>
      fragmentOf(redirect).get(name),
    );
    const { data } = await client.setSession({ access_token: access_token ?? "", refresh_token: refresh_token ?? "" });
    expect(data.user?.email).toBe(email);
    expect(Object.fromEntries(fragmentOf(await followed(link)))).toMatchObject({
      error: "access_denied",
      error_code: "otp_expired",
      sb: "",
    });
  });

  test("signs in with a provider only with its verifier", async () => {
    const client = official("pkce");
    const start = async (authClient: InstanceType<typeof AuthClient>) => {
      const { data } = await authClient.signInWithOAuth({
        provider: "github",
        options: { redirectTo, skipBrowserRedirect: true },
      });
      const provider = await followed(data.url ?? "");
      return followed(`${project.url}/auth/v1/callback?code=x&state=${provider.searchParams.get("state")}`);
    };
    const foreignCode = (await start(official("pkce"))).searchParams.get("code") ?? "";
    const flow = await start(client);
    expect(flow.searchParams.get("next")).toBe("/orders");
    expect(codeOf(await client.exchangeCodeForSession("unknown"))).toBe("flow_state_not_found");
    const secondClient = official("pkce");
    await start(secondClient);
    expect(codeOf(await secondClient.exchangeCodeForSession(foreignCode))).toBe("bad_code_verifier");
    const code = (await start(client)).searchParams.get("code") ?? "";
    expect((await client.exchangeCodeForSession(code)).data.user?.email).toBe("person@github.example");
  });

  test("signs in with a wallet", async () => {
    const wallet = createWallet({ host: "localhost:3000" });
    const sign = (signingKey: object, options = {}) =>
      official().signInWithWeb3({
        chain: "ethereum",
        wallet: signingKey as never,
        options: { url: redirectTo, signInWithEthereum: { nonce: "0123456789", ...options } },
      });
    const { data } = await sign(wallet);
    expect(data.user?.user_metadata).toMatchObject({ custom_claims: { address: wallet.address, chain: "ethereum" } });
    const old = await sign(wallet, { issuedAt: new Date(Date.now() - 3_600_000) });
    expect(old.error?.message).toBe("Ethereum message was issued too long ago");
    const forged = `0x${"1".repeat(128)}1b`;
    const other = {
      request: (call: { method: string }) => (call.method === "personal_sign" ? forged : wallet.request(call)),
    };
    expect((await sign(other)).error?.message).toBe("Signature does not match address in message");
  });
});
