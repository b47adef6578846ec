import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { pageSchema } from "../../page";
import { uuidText } from "../../query";
import { nameSchema } from "../../text/name";

/** The maximum number of users in a body or a response, and of groups in a body. */
export const MAX_GROUP_USERS = 1000;
export const MAX_MEMBER_GROUPS = 100;

const groupFields = () => ({
  id: z.uuid(),
  display_name: z.string(),
  source: z.enum(["admin", "scim"]).describe("`scim` for groups of the directory, which only the directory changes"),
  user_count: z.int().describe("number of direct users"),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
const example = {
  id: "2f9d0e0c-6a35-4d0f-8a55-0f3f6b0a7c11",
  display_name: "Editors",
  source: "admin",
  user_count: 1,
  created_at: "2026-01-12T08:00:00.000Z",
  updated_at: "2026-01-31T09:30:00.000Z",
} as const;

/** A group in a list. */
export const groupSchema = lazySchema(() => z.object(groupFields()).meta({ id: "Group", examples: [example] }));

/** Response of `GET /api/v1/groups`. */
export const groupPageSchema = pageSchema(groupSchema);

/** A group with its direct members. */
export const groupDetailSchema = lazySchema(() =>
  z
    .object({
      ...groupFields(),
      members: z
        .array(z.object({ user_id: z.int(), email: z.string() }))
        .describe(`direct users by id; the first ${MAX_GROUP_USERS}`),
      member_groups: z
        .array(z.object({ id: z.uuid(), display_name: z.string() }))
        .describe("groups whose users also belong to this group, by name"),
    })
    .meta({
      id: "GroupDetail",
      examples: [{ ...example, members: [{ user_id: 42, email: "mina@aster.example" }], member_groups: [] }],
    }),
);

const lists = () => ({
  user_ids: z.array(z.int("invalid").min(1, "invalid"), "invalid").max(MAX_GROUP_USERS, "too_many").optional(),
  member_group_ids: z.array(uuidText(), "invalid").max(MAX_MEMBER_GROUPS, "too_many").optional(),
});
const company_id = () => z.int("invalid").min(1, "invalid").optional();

/** Body of `POST /api/v1/groups`. */
export const groupBody = lazySchema(() =>
  z
    .object({ company_id: company_id(), display_name: nameSchema(150), ...lists() })
    .meta({ examples: [{ display_name: "Editors", user_ids: [42], member_group_ids: [] }] }),
);

/** Body of `PUT` and `PATCH /api/v1/groups/{id}`. Missing fields keep their values. A list replaces the stored list. */
export const groupChangeBody = lazySchema(() =>
  z
    .object({ company_id: company_id(), display_name: nameSchema(150).optional(), ...lists() })
    .meta({ examples: [{ display_name: "Editors", user_ids: [42, 43] }] }),
);

export type GroupInput = z.output<typeof groupBody>;
export type GroupChange = z.output<typeof groupChangeBody>;
