import type { PageBackend } from "../../../../../schemas/shell/page.ts";
import { deviceId, timeZone } from "../device.ts";
import { serviceError } from "../service-error.ts";
import type { Adapter, Device, LiveSettings } from "./adapter.ts";
import { call, fieldsOf, readTexts } from "./call.ts";
import { readTokens } from "./claims.ts";

/** Creates the adapter of the platform's identity service. */
export function createPlatformAdapter({ url, companyId }: PageBackend): Adapter {
  const urlOf = (path: string) => `${url}/api/v1/${path}`;
  const requireCompany = () => {
    if (companyId === undefined) throw serviceError("no_company");
    return companyId;
  };
  const clientFields = () => {
    const zone = timeZone();
    return { ...(zone && { client_timezone: zone }), client_device_id: deviceId() };
  };
  return {
    async liveSettings() {
      if (companyId === undefined) throw serviceError("no_company");
      return readSettings(await call(urlOf(`settings?company_id=${companyId}`), { timeout: 8_000 }));
    },
    async requestLink({ email, redirectTo, language, challenge }) {
      const body = { company_id: requireCompany(), email, redirect_to: redirectTo, language, ...clientFields() };
      const proof = challenge && { code_challenge: challenge, code_challenge_method: "S256" };
      await call(urlOf("magic-link/request"), { method: "POST", body: { ...body, ...proof } });
    },
    verifyCode: async (typed) =>
      readTokens(
        await call(urlOf("magic-link/verify"), { method: "POST", body: { company_id: requireCompany(), ...typed } }),
      ),
    authorizeUrl: ({ provider, redirectTo, challenge }) =>
      `${urlOf("authorize")}?${new URLSearchParams({
        company_id: String(requireCompany()),
        provider,
        redirect_to: redirectTo,
        ...clientFields(),
        code_challenge: challenge,
        code_challenge_method: "S256",
      })}`,
    exchangeCode: async ({ code, redirectTo, verifier }) =>
      readTokens(
        await call(urlOf("oauth/session"), {
          method: "POST",
          body: {
            auth_code: code,
            redirect_to: redirectTo,
            company_id: companyId,
            ...(verifier && { code_verifier: verifier }),
          },
        }),
      ),
    async refresh(refreshToken) {
      const zone = timeZone();
      const body = { refresh_token: refreshToken, ...(zone && { client_timezone: zone }) };
      return readTokens(await call(urlOf("token?grant_type=refresh_token"), { method: "POST", body }));
    },
    async logout({ accessToken, refreshToken }) {
      const body = { refresh_token: refreshToken };
      await call(urlOf("logout"), { method: "POST", body, token: accessToken ?? undefined, keepalive: true });
    },
    async savePreferences(token, { language, ...change }) {
      // Languages that the service does not support are stored in this browser only.
      const body = { ...change, ...((language === "en" || language === "fr") && { language }) };
      if (Object.keys(body).length > 0)
        await call(urlOf("preferences"), { method: "PUT", body, token, keepalive: true });
    },
    loadPinned: async (token) => readTexts(await call(urlOf("preferences"), { token }), "pinned"),
    saveName: async (token, name) => void (await call(urlOf("user"), { method: "PATCH", body: { name }, token })),
    async listDevices(token) {
      const { results } = fieldsOf(await call(urlOf("sessions"), { token }));
      return Array.isArray(results) ? (results as Device[]) : [];
    },
    endDevice: async (token, id) =>
      void (await call(urlOf(`sessions/${encodeURIComponent(id)}`), { method: "DELETE", token })),
    deleteAccount: async (token) =>
      void (await call(urlOf("user"), { method: "DELETE", body: { confirm: true }, token })),
  };
}

/** Reads the sign-in settings. If the response has no list of methods, uses the `enable_` flags. */
export function readSettings(response: unknown): LiveSettings {
  const settings = fieldsOf(response);
  const { methods, oauthProviders, sign_in_code, magic_link_ttl_seconds } = settings;
  const seconds = Number(magic_link_ttl_seconds);
  return {
    methods: Array.isArray(methods) ? methods.filter((id) => typeof id === "string") : enabledIn(settings),
    providers: Array.isArray(oauthProviders) ? oauthProviders.filter((id) => typeof id === "string") : [],
    signInCode: sign_in_code === true,
    linkSeconds: Number.isInteger(seconds) && seconds > 0 ? seconds : null,
  };
}

/** Returns the methods whose flag `enable_<method>` is true. */
function enabledIn(settings: Record<string, unknown>): string[] {
  const flag = /^enable_(.+)$/;
  return Object.entries(settings).flatMap(([name, value]) => (value === true ? (flag.exec(name)?.[1] ?? []) : []));
}
