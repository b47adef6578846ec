import { clock } from "../../../kit/clock";
import { invalid } from "../../../kit/problem";
import { isMissing } from "../providers/credential-fields";
import type { TransportDefinition } from "../providers/types";
import { sendByApi } from "./api";

const VISIBLE_ASCII = /^[!-~]{1,512}$/;

/** The HTTP mail API. The deployment sets its URL; a company sets only its API key. */
export const apiTransport: TransportDefinition = {
  name: "api",
  secretField: "api_key",
  identityFields: ["api_key"],
  sendsBulk: true,
  hasStandardWebhooks: true,

  refuseCompanies: ({ platformApi }) =>
    platformApi.baseUrl === null ? { code: "provider_not_configured", setting: "PROVIDER_API_URL" } : null,

  async validate({ api_key: key }) {
    if (isMissing(key)) throw invalid({ "credentials.api_key": ["required"] });
    if (typeof key !== "string" || !VISIBLE_ASCII.test(key)) throw invalid({ "credentials.api_key": ["invalid"] });
    return { api_key: key };
  },

  parse: ({ api_key: key }) => (typeof key === "string" && key !== "" ? { api_key: key } : null),

  platformCredentials: ({ platformApi: { apiKey, baseUrl } }) =>
    apiKey === "" || baseUrl === null ? null : { api_key: apiKey },

  configure({ api_key: key }, _scope, { platformApi: { baseUrl }, apiTimeoutMs }) {
    if (baseUrl === null) return null;
    return {
      timeoutMs: apiTimeoutMs,
      parallel: (mails) => mails,
      open: ({ fetch }) => ({
        send(mail, { deadline = Number.POSITIVE_INFINITY }) {
          const timeoutMs = Math.min(apiTimeoutMs, Math.max(1, deadline - clock.now()));
          return sendByApi(mail, { baseUrl, apiKey: String(key), timeoutMs }, fetch);
        },
        close: async () => undefined,
      }),
    };
  },
};
