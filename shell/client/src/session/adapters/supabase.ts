import type { PageBackend } from "../../../../../schemas/shell/page.ts";
import { serviceError, toServiceError } from "../service-error.ts";
import type { Adapter, LiveSettings } from "./adapter.ts";
import { call, fieldsOf, readTexts } from "./call.ts";
import { readTokens } from "./claims.ts";
import { toProjectError, toRefreshError } from "./project-error.ts";
import { signWithWallet } from "./wallet.ts";

/** Keys of `external` in the settings that are not OAuth providers. */
const nonProviders = new Set(["email", "phone", "anonymous_users", "saml"]);

type Options = Parameters<typeof call>[1];

/** Creates the adapter of a GoTrue-compatible auth service. */
export function createSupabaseAdapter({ url, publishableKey = "" }: PageBackend): Adapter {
  const urlOf = (path: string) => `${url}/auth/v1/${path}`;
  const headers = { apikey: publishableKey };
  const callService = (path: string, options: Options) =>
    call(urlOf(path), { headers, omitRequestId: true, token: publishableKey, ...options });
  const callProject = async (path: string, options: Options) => {
    try {
      return await callService(path, options);
    } catch (error) {
      throw toProjectError(error);
    }
  };
  const post = (path: string, body: object) => callProject(path, { method: "POST", body });
  // The settings do not include wallets, so only a wallet sign-in shows whether the project allows them.
  let isWalletDisabled = false;
  return {
    async liveSettings() {
      const { methods, ...rest } = readSettings(await callProject("settings", { timeout: 8_000 }));
      return { methods: methods.filter((method) => method !== "web3" || !isWalletDisabled), ...rest };
    },
    requestLink: async ({ email, redirectTo }) =>
      void (await post(`otp?${new URLSearchParams({ redirect_to: redirectTo })}`, { email, create_user: true })),
    async verifyCode({ email, code }) {
      try {
        return readTokens(await post("verify", { type: "email", email, token: code }));
      } catch (error) {
        const failure = toServiceError(error);
        throw failure.code === "magic_link_invalid" ? serviceError("sign_in_code_invalid", failure) : failure;
      }
    },
    authorizeUrl: ({ provider, redirectTo, challenge }) =>
      `${urlOf("authorize")}?${new URLSearchParams({
        provider,
        redirect_to: redirectTo,
        code_challenge: challenge,
        code_challenge_method: "s256",
      })}`,
    exchangeCode: async ({ code, verifier }) =>
      readTokens(await post("token?grant_type=pkce", { auth_code: code, code_verifier: verifier })),
    async signInWithWallet() {
      const signedMessage = await signWithWallet();
      try {
        return readTokens(await post("token?grant_type=web3", { chain: "ethereum", ...signedMessage }));
      } catch (error) {
        isWalletDisabled = toServiceError(error).code === "provider_disabled";
        throw error;
      }
    },
    async refresh(refreshToken) {
      const options = { method: "POST", body: { refresh_token: refreshToken } } as const;
      try {
        return readTokens(await callService("token?grant_type=refresh_token", options));
      } catch (error) {
        throw toRefreshError(error);
      }
    },
    async logout({ accessToken: token }) {
      // The service can end a session only with its access token.
      if (token !== null) await callProject("logout?scope=local", { method: "POST", token, keepalive: true });
    },
    async savePreferences(token, change) {
      // The service replaces whole metadata keys, so existing preferences are merged.
      const { user_metadata } = fieldsOf(await callProject("user", { token }));
      const savedPreferences = fieldsOf(fieldsOf(user_metadata).platformPreferences);
      const body = { data: { platformPreferences: { ...savedPreferences, ...change } } };
      await callProject("user", { method: "PUT", body, token });
    },
    async loadPinned(token) {
      const { user_metadata } = fieldsOf(await callProject("user", { token }));
      return readTexts(fieldsOf(user_metadata).platformPreferences, "pinned");
    },
    saveName: async (token, name) =>
      void (await callProject("user", { method: "PUT", body: { data: { full_name: name } }, token })),
  };
}

/** Reads the sign-in methods of a project. `web3` has no flag, so it is offered until the service rejects it. */
export function readSettings(response: unknown): LiveSettings {
  const external = fieldsOf(fieldsOf(response).external);
  const isEnabled = (name: string) => external[name] === true;
  const providers = Object.keys(external).filter(
    (name) => isEnabled(name) && !nonProviders.has(name) && !/^web3/.test(name),
  );
  return {
    methods: [...(isEnabled("email") ? ["magic_link"] : []), ...(providers.length > 0 ? ["oauth"] : []), "web3"],
    providers,
    signInCode: isEnabled("email"),
    linkSeconds: null,
  };
}
