import * as z from "zod";
import { lazySchema } from "../lazy-schema";

/** What an administrator should know about how people sign in; nothing is refused because of it. */
export const signInWarnings = () =>
  z.array(z.enum(["no_sign_in_method"])).describe("no_sign_in_method: nobody can sign in to the company any more");

const methods = () => z.array(z.enum(["magic_link", "oauth"]));

/** Answer of `GET|PATCH|PUT /api/v1/auth-methods`. */
export const authMethodsSchema = lazySchema(() =>
  z
    .object({
      enable_magic_link: z.boolean(),
      magic_link_effective: z.boolean(),
      magic_link_globally_enabled: z.boolean(),
      notify_new_device: z.boolean(),
      enable_oauth: z.boolean(),
      oauth_providers: z.array(z.string()),
      methods: methods(),
      warnings: signInWarnings(),
    })
    .meta({
      id: "AuthMethods",
      examples: [
        {
          enable_magic_link: true,
          magic_link_effective: true,
          magic_link_globally_enabled: true,
          notify_new_device: false,
          enable_oauth: true,
          oauth_providers: ["google", "oidc-staff"],
          methods: ["magic_link", "oauth"],
          warnings: [],
        },
      ],
    }),
);

/** Body of `PATCH|PUT /api/v1/auth-methods`. */
export const authMethodsBody = lazySchema(() =>
  z
    .object({
      company_id: z.int("invalid").min(1, "invalid").optional(),
      enable_magic_link: z.boolean("invalid").optional(),
      notify_new_device: z.boolean("invalid").optional(),
      confirm: z.boolean("invalid").optional().meta({ deprecated: true, description: "has no effect" }),
    })
    .refine((body) => body.enable_magic_link !== undefined || body.notify_new_device !== undefined, {
      path: ["enable_magic_link"],
      error: "required",
    })
    .meta({
      anyOf: [{ required: ["enable_magic_link"] }, { required: ["notify_new_device"] }],
      examples: [{ enable_magic_link: false }, { notify_new_device: true }],
    }),
);

/** Answer of `GET /api/v1/settings`; `oauthClients` and `external` are for members. */
export const settingsSchema = lazySchema(() =>
  z
    .object({
      methods: methods(),
      oauthProviders: z.array(z.string()),
      enable_oauth: z.boolean(),
      enable_magic_link: z.boolean(),
      sign_in_code: z.boolean(),
      magic_link_ttl_seconds: z.int().optional().describe("how long a link and its code work; where links do"),
      oauthClients: z.array(z.object({ id: z.string(), provider: z.string(), label: z.string() })).optional(),
      external: z.record(z.string(), z.boolean()).optional(),
    })
    .meta({
      id: "Settings",
      examples: [
        {
          methods: ["magic_link", "oauth"],
          oauthProviders: ["google"],
          enable_oauth: true,
          enable_magic_link: true,
          sign_in_code: true,
          magic_link_ttl_seconds: 1800,
          oauthClients: [{ id: "0b6f0f5e-6c1d-4a4e-9d53-0d6d8f1c2a3b", provider: "google", label: "Google" }],
          external: { google: true },
        },
      ],
    }),
);
