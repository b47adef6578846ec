import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { pageSchema } from "../../page";
import { lineSchema } from "../../text/text";
import { webUrlPattern } from "../../text/web-url";

const base_url = () => z.string("invalid").trim().max(500, "too_long").min(1, "blank").meta({ pattern: webUrlPattern });
const label = () => lineSchema(150, { blank: true });
const is_active = () => z.boolean("invalid");
const source = () => z.enum(["manual", "hosting"], "invalid");
const company_id = () => z.int("invalid").min(1, "invalid").optional();

/** Body of `POST /api/v1/oauth-redirects`. Only the origin of `base_url` is stored. */
export const oauthRedirectBody = lazySchema(() =>
  z
    .object({
      company_id: company_id(),
      base_url: base_url(),
      label: label().default(""),
      is_active: is_active().default(true),
      source: source().default("manual"),
    })
    .meta({ examples: [{ base_url: "https://app.example.com", label: "Shop", is_active: true }] }),
);

/** Body of `PATCH /api/v1/oauth-redirects/{id}`. At least one field is required. */
export const oauthRedirectChange = lazySchema(() =>
  z
    .object({
      company_id: company_id(),
      base_url: base_url().optional(),
      label: label().optional(),
      is_active: is_active().optional(),
    })
    .refine(({ company_id: _, ...fields }) => Object.values(fields).some((value) => value !== undefined), "required")
    .meta({
      anyOf: [{ required: ["base_url"] }, { required: ["label"] }, { required: ["is_active"] }],
      examples: [{ is_active: false }],
    }),
);

/** Body of `PUT /api/v1/hosting-oauth-redirects`. The token determines the company. */
export const hostingRedirectBody = lazySchema(() =>
  z
    .object({ base_url: base_url(), label: label().optional() })
    .meta({ examples: [{ base_url: "https://shop-preview.example.com", label: "Preview of shop" }] }),
);

/** Body of `DELETE /api/v1/hosting-oauth-redirects`. */
export const hostingRedirectRemoval = lazySchema(() =>
  z.object({ base_url: base_url() }).meta({ examples: [{ base_url: "https://shop-preview.example.com" }] }),
);

/** A row of the redirect allowlist. */
export const oauthRedirectSchema = lazySchema(() =>
  z
    .object({
      id: z.uuid(),
      base_url: z.string(),
      label: z.string(),
      source: source(),
      is_active: z.boolean(),
      created_at: z.iso.datetime(),
    })
    .meta({
      id: "OauthRedirect",
      examples: [
        {
          id: "7d0c8f0e-3f0a-4a35-9d2c-1f2e3d4c5b6a",
          base_url: "https://app.example.com",
          label: "Shop",
          source: "manual",
          is_active: true,
          created_at: "2026-11-21T09:30:00.000Z",
        },
      ],
    }),
);

/** Response of `GET /api/v1/oauth-redirects`, oldest first. */
export const oauthRedirectPage = pageSchema(oauthRedirectSchema);
