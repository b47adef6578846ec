import type { PageBackend } from "../../../../../schemas/shell/page.ts";
import type { Adapter, LiveSettings } from "./adapter.ts";
import { call, fieldsOf } from "./call.ts";
import { readTokens } from "./claims.ts";
import { signWithWallet } from "./wallet.ts";

/** Entries of `external` that are no provider one is sent to. */
const noProviders = new Set(["email", "phone", "anonymous_users", "saml"]);

/** A GoTrue-compatible auth project. */
export function createSupabaseAdapter({ url, publishableKey = "" }: PageBackend): Adapter {
  const at = (path: string) => `${url}/auth/v1/${path}`;
  const headers = { apikey: publishableKey };
  const open = { headers, token: publishableKey };
  const post = (path: string, body: object) => call(at(path), { method: "POST", body, ...open });
  return {
    liveSettings: async () => readSettings(await call(at("settings"), { ...open, timeout: 8_000 })),
    requestLink: async ({ email, redirectTo }) =>
      void (await post(`otp?${new URLSearchParams({ redirect_to: redirectTo })}`, { email, create_user: true })),
    verifyCode: async ({ email, code }) => readTokens(await post("verify", { type: "email", email, token: code })),
    authorizeUrl: ({ provider, redirectTo, challenge }) =>
      `${at("authorize")}?${new URLSearchParams({
        provider,
        redirect_to: redirectTo,
        code_challenge: challenge,
        code_challenge_method: "s256",
      })}`,
    exchangeCode: async ({ code, verifier }) =>
      readTokens(await post("token?grant_type=pkce", { auth_code: code, code_verifier: verifier })),
    signInWithWallet: async () =>
      readTokens(await post("token?grant_type=web3", { chain: "ethereum", ...(await signWithWallet()) })),
    refresh: async (refreshToken) =>
      readTokens(await post("token?grant_type=refresh_token", { refresh_token: refreshToken })),
    async logout({ accessToken }) {
      // Without an access token there is nothing this service could end.
      if (accessToken === null) return;
      await call(at("logout?scope=local"), { method: "POST", headers, token: accessToken, keepalive: true });
    },
    async savePreferences(token, change) {
      // Keys of the metadata are replaced as a whole.
      const { user_metadata } = fieldsOf(await call(at("user"), { headers, token }));
      const known = fieldsOf(fieldsOf(user_metadata).platformPreferences);
      const body = { data: { platformPreferences: { ...known, ...change } } };
      await call(at("user"), { method: "PUT", body, headers, token });
    },
    saveName: async (token, name) =>
      void (await call(at("user"), { method: "PUT", body: { data: { full_name: name } }, headers, token })),
  };
}

/** What the project allows. `web3` has no flag of its own: whether it is on shows when it is used. */
export function readSettings(answer: unknown): LiveSettings {
  const external = fieldsOf(fieldsOf(answer).external);
  const isOn = (name: string) => external[name] === true;
  const providers = Object.keys(external).filter((name) => isOn(name) && !noProviders.has(name) && !/^web3/.test(name));
  const methods = (
    [
      ["magic_link", isOn("email")],
      ["oauth", providers.length > 0],
      ["web3", true],
    ] as const
  ).flatMap(([method, isThere]) => (isThere ? [method] : []));
  return {
    methods,
    providers,
    signInCode: isOn("email"),
    linkSeconds: null,
  };
}
