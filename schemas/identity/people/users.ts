import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { pageQuery, pageSchema } from "../../page";
import { uuidText } from "../../query";
import { nameSchema } from "../../text/name";

/** The maximum number of groups in a request body that changes a member. */
const MAX_GROUPS_OF_USER = 200;

/** A member of a company, with the data that the company can see. */
export const memberSchema = lazySchema(() =>
  z
    .object({
      id: z.int(),
      email: z.string(),
      username: z.string(),
      first_name: z.string(),
      last_name: z.string(),
      is_staff: z.boolean(),
      is_company_owner: z.boolean(),
      is_active: z.boolean().describe("whether `access_state` is `allowed`"),
      access_state: z.enum(["allowed", "pending", "denied"]),
      state_reason: z.enum(["join_rule", "admin", "scim"]),
      groups: z.array(z.object({ id: z.uuid(), display_name: z.string() })),
      user_metadata: z.record(z.string(), z.unknown()),
      last_seen_at: z.iso.datetime().nullable(),
      created_at: z.iso.datetime().describe("when the membership was created"),
    })
    .meta({
      id: "Member",
      examples: [
        {
          id: 42,
          email: "mina@aster.example",
          username: "mina",
          first_name: "Mina",
          last_name: "Laurent",
          is_staff: false,
          is_company_owner: false,
          is_active: true,
          access_state: "allowed",
          state_reason: "join_rule",
          groups: [],
          user_metadata: { job_title: "Designer" },
          last_seen_at: "2026-01-31T09:30:00.000Z",
          created_at: "2026-01-12T08:00:00.000Z",
        },
      ],
    }),
);

/** Response of `GET /api/v1/users`. */
export const memberPageSchema = pageSchema(memberSchema);

/** Filter of `GET /api/v1/users`. */
export const memberFilter = lazySchema(() =>
  z.object({ access_state: z.enum(["pending"], "invalid").optional().describe("users who ask to join the company") }),
);

/** Query of `GET /api/v1/users`. `q` is an id, or a part of the email address, the user name or the names. */
export const memberQuery = lazySchema(() =>
  pageQuery.unwrap().extend({
    company_id: z.string().optional(),
    q: z.string().max(254).optional(),
    ...memberFilter.unwrap().shape,
  }),
);

/** The search text. Blank text does not filter. */
export const searchSchema = lazySchema(() =>
  z.object({ q: z.string("invalid").trim().max(254, "too_long").optional() }),
);

/** Body of `PUT /api/v1/users/{id}`. Missing fields keep their values. */
export const memberChangeBody = lazySchema(() =>
  z
    .object({
      company_id: z.int("invalid").min(1, "invalid").optional(),
      first_name: nameSchema(150, { blank: true }).optional(),
      last_name: nameSchema(150, { blank: true }).optional(),
      is_active: z
        .boolean("invalid")
        .optional()
        .describe("true sets `access_state` to `allowed`, false sets an allowed member to `pending`"),
      access: z.literal("denied", "invalid").optional(),
      data: z
        .looseObject({}, "invalid")
        .optional()
        .describe("keys that are merged into the company's metadata of the user, at most 8 KiB"),
      group_ids: z
        .array(uuidText(), "invalid")
        .max(MAX_GROUPS_OF_USER, "too_many")
        .optional()
        .describe("complete list of the direct groups, without groups of the directory"),
    })
    .refine((body) => !(body.is_active === true && body.access === "denied"), { path: ["access"], error: "invalid" })
    .meta({ examples: [{ first_name: "Mina", is_active: true, data: { job_title: "Designer" } }] }),
);

export type MemberChange = z.output<typeof memberChangeBody>;
