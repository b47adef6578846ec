import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { pageSchema } from "../../page";
import { isLine, lineSchema, textPattern } from "../../text/text";
import { signInWarnings } from "./sign-in-methods";

/** The kinds of sign-in providers. */
const provider = () => z.enum(["google", "github", "microsoft", "apple", "oidc"], "invalid");
const slug = () =>
  z
    .string("invalid")
    .max(40, "too_long")
    .regex(/^[a-z0-9-]*$/, "invalid")
    .nullable();
const text = (max: number) => lineSchema(max, { blank: true }).nullable();
const secret = () =>
  z
    .string("invalid")
    .max(4096, "too_long")
    .refine((value) => value.trim() !== "", "blank");
const isPem = (value: string) => isLine(value.replace(/[\r\n]/g, ""));

/** The fields that can be changed later. Null or "" removes an optional field. */
const fields = () => ({
  company_id: z.int("invalid").min(1, "invalid").optional(),
  label: lineSchema(150, { blank: true }).optional(),
  client_id: lineSchema(255).optional(),
  client_secret: secret().refine(isLine, "invalid").meta({ pattern: textPattern }).optional().meta({ writeOnly: true }),
  private_key: secret().refine(isPem, "invalid").meta({ pattern: "^[!-~]" }).optional().meta({ writeOnly: true }),
  tenant: text(255)
    .refine((value) => !value || /^[a-z0-9][a-z0-9.-]*$/i.test(value), "invalid")
    .meta({ pattern: "^(?:[A-Za-z0-9][A-Za-z0-9.-]*)?$" })
    .optional(),
  team_id: text(255).optional(),
  key_id: text(255).optional(),
  scopes: text(1000)
    .refine((value) => !value || value.split(/\s+/).includes("openid"), "invalid")
    .meta({ pattern: "^(?:(?:[!-~]+ )*openid(?: [!-~]+)*)?$" })
    .optional(),
  issuer: text(500).optional(),
  is_active: z.boolean("invalid").optional(),
});

const google = { client_id: "1234.apps.googleusercontent.com", client_secret: "GOCSPX-example" };

/** Body of `POST /api/v1/oauth-clients`. */
export const oauthClientBody = lazySchema(() =>
  z.object({ ...fields(), provider: provider(), slug: slug().optional(), client_id: lineSchema(255) }).meta({
    anyOf: [
      { type: "object", properties: { provider: { enum: ["google", "github", "microsoft", "apple"] } } },
      { type: "object", required: ["slug"], properties: { slug: { type: "string", minLength: 1 } } },
    ],
    examples: [{ provider: "google", label: "Google", ...google }],
  }),
);

/** Body of `PUT|PATCH /api/v1/oauth-clients/{id}`. Missing fields keep their values. Provider and slug cannot be changed. */
export const oauthClientChange = lazySchema(() =>
  z
    .object({
      ...fields(),
      provider: provider().optional(),
      slug: slug().optional(),
      confirm: z.boolean("invalid").optional().meta({ deprecated: true, description: "has no effect" }),
    })
    .meta({ examples: [{ client_secret: "GOCSPX-renewed" }] }),
);

const clientExample = {
  id: "0b6f0f5e-6c1d-4a4e-9d53-0d6d8f1c2a3b",
  provider: "google",
  provider_id: "google",
  slug: null,
  label: "Google",
  client_id: google.client_id,
  tenant: null,
  team_id: null,
  key_id: null,
  scopes: null,
  issuer: null,
  is_active: true,
  has_secret: true,
  is_usable: true,
  created_at: "2026-11-21T09:30:00.000Z",
  updated_at: "2026-11-21T09:30:00.000Z",
};

const clientFields = () => ({
  id: z.uuid(),
  provider: provider(),
  provider_id: z.string(),
  slug: z.string().nullable(),
  label: z.string(),
  client_id: z.string(),
  tenant: z.string().nullable(),
  team_id: z.string().nullable(),
  key_id: z.string().nullable(),
  scopes: z.string().nullable(),
  issuer: z.string().nullable(),
  is_active: z.boolean(),
  has_secret: z.boolean(),
  is_usable: z.boolean(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

/** A client without its secret. Fields that the provider does not use are null. */
export const oauthClientSchema = lazySchema(() =>
  z.object(clientFields()).meta({ id: "OauthClient", examples: [clientExample] }),
);

/** Response of `PUT|PATCH /api/v1/oauth-clients/{id}`. */
export const changedOauthClientSchema = lazySchema(() =>
  z
    .object({ ...clientFields(), warnings: signInWarnings() })
    .meta({ id: "ChangedOauthClient", examples: [{ ...clientExample, warnings: [] }] }),
);

/** Response of `GET /api/v1/oauth-clients`, ordered by provider id. */
export const oauthClientPage = pageSchema(oauthClientSchema);

/** Response of `GET /api/v1/oauth-provider-catalog`: the fields of the client form for each provider. */
export const oauthCatalogSchema = lazySchema(() =>
  z
    .object({
      callback_url: z.string(),
      results: z.array(
        z.object({
          provider: provider(),
          label: z.string(),
          fields: z.array(z.object({ name: z.string(), required: z.boolean(), secret: z.boolean() })),
        }),
      ),
    })
    .meta({
      examples: [
        {
          callback_url: "https://id.example.com/api/v1/oauth/callback",
          results: [
            {
              provider: "github",
              label: "GitHub",
              fields: [
                { name: "client_id", required: true, secret: false },
                { name: "client_secret", required: true, secret: true },
              ],
            },
          ],
        },
      ],
    }),
);
