import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { visibleLinePattern } from "../../text/name";
import {
  extensionOperation,
  patchSchema,
  removeVerbs,
  requestSchemas,
  scimCompanyPath,
  scimListFields,
  scimListSchema,
  scimMeta,
  setVerbs,
} from "./messages";

const GROUP_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Group";

const base = "https://identity.example.com/api/v1/companies/3/scim/v2";
const id = "9a51f3c2-2f0b-4c5e-8a55-0d7f6a1f3c21";
const example = {
  schemas: [GROUP_SCHEMA as typeof GROUP_SCHEMA],
  id,
  displayName: "Editors",
  members: [{ value: "42", type: "User" as const }],
  meta: {
    resourceType: "Group" as const,
    created: "2026-01-12T08:00:00.000Z",
    lastModified: "2026-01-12T08:00:00.000Z",
    location: `${base}/Groups/${id}`,
  },
};

/** A group in responses: RFC 7643, 4.2. Only `schemas` and `id` are always present. */
export const scimGroupSchema = lazySchema(() =>
  z
    .object({
      schemas: z.array(z.literal(GROUP_SCHEMA)),
      id: z.uuid(),
      externalId: z.string().optional(),
      displayName: z.string().optional(),
      members: z
        .array(z.object({ value: z.string(), type: z.enum(["User", "Group"]) }).partial())
        .optional()
        .describe("the direct members. Each also has its URL, `$ref`"),
      meta: scimMeta("Group").optional(),
    })
    .meta({ id: "ScimGroup", examples: [example] }),
);

/** Response of `GET /Groups`. */
export const scimGroupListSchema = scimListSchema("ScimGroupList", scimGroupSchema, [example]);

const line = () => z.string().max(255).meta({ pattern: visibleLinePattern });
const displayName = () => line().min(1).describe("unique in the company, in any case");
const memberId = "[1-9][0-9]{0,14}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const members = () =>
  z
    .array(
      z.object({
        value: z
          .string()
          .meta({ pattern: `^(?:${memberId})$` })
          .describe("id of a user or group of the company"),
      }),
    )
    .describe("the direct members");

/** Body of `POST /Groups` and `PUT /Groups/{id}`. */
export const scimGroupInputSchema = lazySchema(() =>
  z
    .object({
      schemas: requestSchemas(),
      displayName: displayName(),
      externalId: line().nullable().optional(),
      members: members().nullable().optional(),
    })
    .meta({
      id: "ScimGroupInput",
      examples: [{ schemas: [GROUP_SCHEMA], displayName: "Editors", members: [{ value: "42" }] }],
    }),
);

const groupOperation = () =>
  z.union([
    z.object({ op: setVerbs(), path: z.literal("displayName"), value: displayName() }),
    z.object({ op: setVerbs(), path: z.literal("externalId"), value: line().nullable().optional() }),
    z.object({ op: setVerbs(), path: z.literal("members"), value: members().nullable().optional() }),
    z.object({
      op: setVerbs(),
      path: z.literal("").nullable().optional(),
      value: z
        .object({
          displayName: displayName().nullable().optional(),
          externalId: line().nullable().optional(),
          members: members().nullable().optional(),
        })
        .describe("attributes to set"),
    }),
    z.object({ op: removeVerbs(), path: z.literal("members"), value: members().nullable().optional() }),
    z.object({
      op: removeVerbs(),
      path: z.string().meta({ pattern: `^(?:externalId|members\\[value eq "(?:${memberId})"\\])$` }),
    }),
    extensionOperation(),
  ]);

/** Body of `PATCH /Groups/{id}`. */
export const scimGroupPatchSchema = patchSchema("ScimGroupPatch", groupOperation, {
  op: "add",
  path: "members",
  value: [{ value: "42" }],
});

export const scimGroupPath = lazySchema(() => z.object({ ...scimCompanyPath(), id: z.uuid() }));
export const scimGroupListQuery = lazySchema(() =>
  z.object(
    scimListFields("scim-group-filter", "id, externalId, displayName, members, meta.created and meta.lastModified"),
  ),
);
