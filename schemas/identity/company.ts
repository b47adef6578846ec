import * as z from "zod";

/** Query of an operation that takes the company there (identity details 1.2); read by `companyScope`. */
export const companyQuery = z.object({ company_id: z.string().optional() });

/** Answer of `GET|PATCH|PUT /api/v1/auth-methods` (contract, Resources). */
export const authMethodsSchema = z.object({
  enable_magic_link: z.boolean(),
  magic_link_effective: z.boolean(),
  magic_link_globally_enabled: z.boolean(),
  enable_oauth: z.boolean(),
  oauth_providers: z.array(z.string()),
  methods: z.array(z.enum(["magic_link", "oauth"])),
});

/** Body of `PATCH|PUT /api/v1/auth-methods`. */
export const authMethodsBody = z.object({
  company_id: z.int("invalid").min(1, "invalid").optional(),
  enable_magic_link: z.boolean("invalid"),
});

/** Answer of `GET /api/v1/settings` (identity details 6). */
export const settingsSchema = z.object({
  methods: z.array(z.enum(["magic_link", "oauth"])),
  oauthProviders: z.array(z.string()),
  enable_oauth: z.boolean(),
  enable_magic_link: z.boolean(),
  sign_in_code: z.boolean(),
  oauthClients: z.array(z.object({ id: z.string(), provider: z.string(), label: z.string() })).optional(),
  external: z.record(z.string(), z.boolean()).optional(),
});

/** Answer of `GET /.well-known/jwks.json` (identity details 4.5). */
export const jwksSchema = z.object({
  keys: z.array(
    z.object({
      kty: z.literal("RSA"),
      use: z.literal("sig"),
      alg: z.literal("RS256"),
      kid: z.string(),
      n: z.string(),
      e: z.string(),
    }),
  ),
});
