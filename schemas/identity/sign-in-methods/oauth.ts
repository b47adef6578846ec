import * as z from "zod";
import type { MethodFields } from "./method";

/** Sign-in with OAuth providers. Only members get `oauthClients` and `external`. */
export const oauth = {
  settings: () => ({
    enable_oauth: z.boolean(),
    oauthProviders: z.array(z.string()),
    oauthClients: z.array(z.object({ id: z.string(), provider: z.string(), label: z.string() })).optional(),
    external: z.record(z.string(), z.boolean()).optional(),
  }),
  authMethods: () => ({ enable_oauth: z.boolean(), oauth_providers: z.array(z.string()) }),
  flags: () => ({}),
  examples: {
    settings: {
      enable_oauth: true,
      oauthProviders: ["google"],
      oauthClients: [{ id: "0b6f0f5e-6c1d-4a4e-9d53-0d6d8f1c2a3b", provider: "google", label: "Google" }],
      external: { google: true },
    },
    authMethods: { enable_oauth: true, oauth_providers: ["google", "oidc-staff"] },
  },
} satisfies MethodFields;
