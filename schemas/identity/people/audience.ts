import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { companyPageQuery } from "../../page";
import { booleanText, idText, listQuery, timeText, uuidText } from "../../query";
import { MAX_AUDIENCE_PAGE } from "../../rpc";

/** The maximum number of users and groups in a filter. */
const MAX_USERS = 1000;
const MAX_GROUPS = 100;

const roles = ["owner", "staff", "member"] as const;
/** Returns the schema of a comma-separated list of at most `max` items with the schema `item`. */
const list = <T>(item: z.ZodType<T, string>, max: number) =>
  z.string().transform((text, context): T[] => {
    const items = text.split(",").map((part) => item.safeParse(part.trim()));
    const values = items.flatMap(({ data }) => (data === undefined ? [] : [data]));
    const message = items.length > max ? "too_many" : values.length < items.length ? "invalid" : null;
    if (message !== null) context.addIssue({ code: "custom", message });
    return [...new Set(values)];
  });

/** The filters of an audience. All of them must match. Times are ms since the epoch. */
export const audienceFilter = lazySchema(() =>
  z.object({
    access: z.enum(["enabled", "disabled", "any"], "invalid").default("enabled"),
    roles: list(z.enum(roles, "invalid"), roles.length).optional(),
    group_ids: list(uuidText(), MAX_GROUPS).optional(),
    joined_after: timeText().optional(),
    joined_before: timeText().optional(),
    seen_after: timeText().optional(),
    seen_before: timeText().optional(),
    user_ids: list(idText(), MAX_USERS).optional(),
    count_only: booleanText().default(false),
  }),
);

export type AudienceFilter = z.output<typeof audienceFilter>;

/** Returns the schema of a comma-separated list, for the OpenAPI document. */
const listOf = (item: z.ZodType, max: number, description: string) =>
  z
    .array(item)
    .min(1)
    .max(max)
    .optional()
    .meta({ description, param: { style: "form", explode: false } });

/** Query of `GET /api/v1/users/audience`. */
export const audienceQuery = lazySchema(() =>
  z.object({
    ...companyPageQuery(),
    page_size: z.string().optional().meta({ maximum: MAX_AUDIENCE_PAGE }),
    cursor: z.string().optional().describe("`next_cursor` of the previous page; empty for the first page"),
    access: audienceFilter.unwrap().shape.access,
    roles: listQuery(roles),
    group_ids: listOf(z.uuid(), MAX_GROUPS, "groups; users of nested groups count"),
    joined_after: z.iso.datetime({ offset: true }).optional(),
    joined_before: z.iso.datetime({ offset: true }).optional(),
    seen_after: z.iso.datetime({ offset: true }).optional(),
    seen_before: z.iso.datetime({ offset: true }).optional(),
    user_ids: listOf(idText(), MAX_USERS, "users"),
    count_only: booleanText().optional(),
  }),
);

const member = lazySchema(() =>
  z.object({
    id: z.int(),
    email: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    language: z.enum(["en", "fr"]).nullable().describe("null when the user has not chosen one"),
  }),
);

/** Response of `GET /api/v1/users/audience`. With `count_only` it has only `count`. */
export const audienceSchema = lazySchema(() =>
  z
    .object({
      count: z.int().optional(),
      page: z.int().optional(),
      page_size: z.int().optional(),
      results: z.array(member.unwrap()).optional(),
      next_cursor: z.string().nullable().optional(),
    })
    .meta({
      id: "Audience",
      examples: [
        {
          count: 1,
          page: 1,
          page_size: 100,
          results: [{ id: 42, email: "mina@aster.example", first_name: "Mina", last_name: "Laurent", language: "fr" }],
          next_cursor: null,
        },
      ],
    }),
);
