import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { companyPageQuery, pageSchema } from "../../page";
import { booleanText } from "../../query";
import { nameSchema } from "../../text/name";
import { period } from "../../webhooks/event-log";

const tokenFields = () => ({
  id: z.uuid(),
  name: z.string(),
  token_prefix: z.string().describe("the first 12 characters of the token"),
  created_at: z.iso.datetime(),
  revoked_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable().describe("exact to the minute"),
  is_active: z.boolean(),
});
const token = {
  id: "9a51f3c2-2f0b-4c5e-8a55-0d7f6a1f3c21",
  name: "Entra ID",
  token_prefix: "pst_a1B2c3D4",
  created_at: "2026-01-12T08:00:00.000Z",
  revoked_at: null,
  last_used_at: "2026-01-31T09:30:00.000Z",
  is_active: true,
};

/** A token with which a directory calls the SCIM endpoints. */
export const scimTokenSchema = lazySchema(() => z.object(tokenFields()).meta({ id: "ScimToken", examples: [token] }));

/** Response of `GET /api/v1/scim/tokens`. */
export const scimTokenPageSchema = pageSchema(scimTokenSchema);

/** Response of `POST /api/v1/scim/tokens`. */
export const newScimTokenSchema = lazySchema(() =>
  z
    .object({ ...tokenFields(), token: z.string().describe("the token, which no other response contains") })
    .meta({ id: "NewScimToken", examples: [{ ...token, last_used_at: null, token: `pst_a1B2c3D4${"x".repeat(35)}` }] }),
);

/** Body of `POST /api/v1/scim/tokens`. */
export const scimTokenBody = lazySchema(() =>
  z
    .object({
      company_id: z.int("invalid").min(1, "invalid").optional(),
      name: nameSchema(200, { blank: true }).optional(),
    })
    .meta({ examples: [{ name: "Entra ID" }] }),
);

const changeFields = () => ({
  at: z.iso.datetime(),
  operation: z.enum(["create", "replace", "update", "delete"]),
  resource_type: z.enum(["User", "Group"]),
  resource_id: z.string().nullable(),
  ok: z.boolean(),
  code: z.string().nullable().describe("error code of a rejected change"),
  detail: z.string(),
});

/** The filters of `GET /api/v1/scim/events`. */
export const scimEventFilter = lazySchema(() =>
  z.object({ ok: booleanText().optional().describe("`false`: rejected changes"), ...period() }),
);

/** Query of `GET /api/v1/scim/events`. */
export const scimEventQuery = lazySchema(() => z.object({ ...scimEventFilter.unwrap().shape, ...companyPageQuery() }));

/** A change that a directory requested. */
export const scimEventSchema = lazySchema(() =>
  z.object({ id: z.uuid(), ...changeFields() }).meta({
    id: "ScimEvent",
    examples: [
      {
        id: "01a21c5e-0077-7699-8011-68333120c932",
        at: "2026-01-31T09:30:00.000Z",
        operation: "update",
        resource_type: "User",
        resource_id: "42",
        ok: false,
        code: "last_company_owner",
        detail: "The company would lose its last owner.",
      },
    ],
  }),
);

/** Response of `GET /api/v1/scim/events`. */
export const scimEventPageSchema = pageSchema(scimEventSchema);

/** Response of `GET /api/v1/scim`. */
export const scimStatusSchema = lazySchema(() =>
  z
    .object({
      enabled: z.boolean().describe("whether the deployment allows directory sync"),
      base_url: z.string().describe("the URL to enter in the directory"),
      configured: z.boolean().describe("whether the company has a live token"),
      active_token_count: z.int(),
      last_provisioning_error: z
        .object({ at: z.iso.datetime(), code: z.string(), type: z.enum(["User", "Group"]), detail: z.string() })
        .nullable(),
      recent_provisioning_events: z.array(z.object(changeFields())).max(5).describe("newest first, kept for 30 days"),
    })
    .meta({
      id: "ScimStatus",
      examples: [
        {
          enabled: true,
          base_url: "https://identity.example.com/api/v1/companies/10/scim/v2",
          configured: true,
          active_token_count: 1,
          last_provisioning_error: null,
          recent_provisioning_events: [
            {
              at: "2026-01-31T09:30:00.000Z",
              operation: "create" as const,
              resource_type: "User" as const,
              resource_id: "42",
              ok: true,
              code: null,
              detail: "",
            },
          ],
        },
      ],
    }),
);

/** Body of `POST /api/v1/scim/preview`. */
export const scimPreviewBody = lazySchema(() =>
  z
    .object({
      company_id: z.int("invalid").min(1, "invalid").optional(),
      method: z.enum(["POST", "PUT", "PATCH", "DELETE"], "invalid"),
      path: z.string("invalid").max(200, "too_long").describe("path below the base URL, such as `/Users/42`"),
      body: z.record(z.string(), z.unknown(), "invalid").optional(),
    })
    .meta({
      examples: [
        { method: "PATCH", path: "/Users/42", body: { Operations: [{ op: "replace", path: "active", value: false }] } },
      ],
    }),
);

/** Response of `POST /api/v1/scim/preview`. */
export const scimPreviewSchema = lazySchema(() =>
  z
    .object({
      status: z.int().describe("status that the directory would get"),
      body: z.record(z.string(), z.unknown()).nullable().describe("body that the directory would get"),
      changes: z
        .array(
          z.object({
            change: z.enum([
              "add_user",
              "link_user",
              "give_access",
              "end_access",
              "set_field",
              "remove_from_directory",
              "create_group",
              "delete_group",
              "add_users",
              "remove_users",
              "add_groups",
              "remove_groups",
            ]),
            text: z.string().describe("the change in one sentence"),
            field: z.string().optional(),
            before: z.unknown().optional(),
            after: z.unknown().optional(),
            ids: z.array(z.string()).optional(),
          }),
        )
        .describe("what the request would change; empty if it would be rejected"),
    })
    .meta({
      id: "ScimPreview",
      examples: [
        {
          status: 204,
          body: null,
          changes: [{ change: "add_users" as const, text: "Adds 1 user to the group Editors.", ids: ["42"] }],
        },
      ],
    }),
);

export type ScimPreviewInput = z.output<typeof scimPreviewBody>;
export type ScimPreview = z.output<typeof scimPreviewSchema>;
export type ScimTokenInput = z.output<typeof scimTokenBody>;
