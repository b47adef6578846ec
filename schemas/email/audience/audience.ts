import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { idText, timeText, uuidText } from "../../query";
import { addressPattern, canonicalAddress, isAddress } from "../../text/address";

const AUDIENCE_MODES = ["filter", "pick", "newsletter"] as const;
const ROLES = ["owner", "staff", "member"] as const;
const ACCESS = ["enabled", "disabled", "any"] as const;
const MAX_GROUPS = 100;
const MAX_USERS = 1000;
const MAX_EMAILS = 1000;

/**
 * A list whose duplicates are removed by `keyOf`. An error applies to the whole list: `too_many`, or `invalid` when an item is
 * invalid. `openapi` describes an item in the OpenAPI document.
 */
export const uniqueList = <T>(
  item: (value: unknown) => T | undefined,
  { max, keyOf, openapi }: { max: number; keyOf: (item: T) => unknown; openapi: Record<string, unknown> },
) =>
  z
    .custom<unknown[]>(Array.isArray, "invalid")
    .transform((items, context): T[] => {
      const values = items.length > max ? [] : items.map(item);
      const valid = values.filter((value) => value !== undefined) as T[];
      const code = items.length > max ? "too_many" : valid.length < values.length ? "invalid" : null;
      if (code !== null) context.addIssue({ code: "custom", message: code });
      return [...new Map(valid.map((value) => [keyOf(value), value])).values()];
    })
    .meta({ type: "array", maxItems: max, items: openapi });

const itemOf =
  <T>(schema: z.ZodType<T>) =>
  (value: unknown): T | undefined =>
    schema.safeParse(value).data;

/** Returns the address without surrounding spaces, or undefined for another value. */
export const addressOf = (value: unknown): string | undefined => {
  const address = typeof value === "string" ? value.trim() : "";
  return isAddress(address) ? address : undefined;
};

/** "" or a time with an offset, which becomes ISO 8601 in UTC. */
const timeOrNone = () =>
  z
    .string("invalid")
    .trim()
    .transform((text, context) => {
      if (text === "") return "";
      const ms = timeText().safeParse(text).data;
      if (ms !== undefined) return new Date(ms).toISOString();
      context.addIssue({ code: "custom", message: "invalid" });
      return z.NEVER;
    })
    .meta({
      anyOf: [
        { type: "string", maxLength: 0 },
        { type: "string", format: "date-time" },
      ],
    });

/** Returns the id of a user, or undefined for another value. */
export const userId = (value: unknown): number | undefined =>
  typeof value === "number" ? idText().safeParse(String(value)).data : undefined;

/** The recipients of a broadcast. Missing fields get their defaults, and the result is complete. */
export const audienceSchema = lazySchema(() =>
  z
    .object(
      {
        mode: z.enum(AUDIENCE_MODES, "invalid").default("filter"),
        group_ids: uniqueList(itemOf(uuidText()), {
          max: MAX_GROUPS,
          keyOf: (id) => id,
          openapi: { type: "string", format: "uuid" },
        }).default([]),
        roles: uniqueList(itemOf(z.enum(ROLES)), {
          max: MAX_GROUPS,
          keyOf: (role) => role,
          openapi: { type: "string", enum: [...ROLES] },
        }).default([]),
        access: z.enum(ACCESS, "invalid").default("enabled"),
        joined_after: timeOrNone().default(""),
        joined_before: timeOrNone().default("").describe("inclusive"),
        seen_after: timeOrNone().default(""),
        seen_before: timeOrNone().default("").describe("inclusive; also matches users who were never seen"),
        user_ids: uniqueList(userId, {
          max: MAX_USERS,
          keyOf: (id) => id,
          openapi: { type: "integer", minimum: 1, maximum: 999_999_999_999_999 },
        }).default([]),
        emails: uniqueList(addressOf, {
          max: MAX_EMAILS,
          keyOf: canonicalAddress,
          openapi: { type: "string", maxLength: 254, pattern: addressPattern },
        }).default([]),
        list_id: z
          .int("invalid")
          .min(1, "invalid")
          .nullish()
          .describe("the newsletter; required in the mode `newsletter` and ignored in the others"),
      },
      "invalid",
    )
    .transform(({ list_id, ...audience }, context): typeof audience & { list_id?: number } => {
      if (audience.mode !== "newsletter") return audience;
      if (list_id === undefined || list_id === null) {
        context.addIssue({ code: "custom", message: "required", path: ["list_id"] });
        return z.NEVER;
      }
      return { ...audience, list_id };
    }),
);

/** A stored audience, which is always complete. */
export const storedAudience = () =>
  z.object({
    mode: z.enum(AUDIENCE_MODES),
    group_ids: z.array(z.uuid()),
    roles: z.array(z.enum(ROLES)),
    access: z.enum(ACCESS),
    joined_after: z.string(),
    joined_before: z.string(),
    seen_after: z.string(),
    seen_before: z.string(),
    user_ids: z.array(z.int()),
    emails: z.array(z.string()),
    list_id: z.int().optional(),
  });
