import * as z from "zod";
import { lazySchema } from "./lazy-schema";

/** A query with the company id. `companyScope` reads it. */
export const companyQuery = lazySchema(() => z.object({ company_id: z.string().optional() }));

/** The `id` in a path, for the OpenAPI document. A malformed id returns 404, like a missing row. */
export const rowIdPath = lazySchema(() => z.object({ id: z.int().min(1) }));
export const uuidPath = lazySchema(() => z.object({ id: z.uuid() }));

/** A complete ISO 8601 time with an offset, parsed to ms since the epoch. The date must exist. */
export const timeText = () =>
  z.iso.datetime({ offset: true, error: "invalid" }).transform((text, context) => {
    const ms = Date.parse(text);
    if (Number.isSafeInteger(ms)) return ms;
    context.addIssue({ code: "custom", message: "invalid" });
    return z.NEVER;
  });

/** An integer id >= 1 as text, parsed to a number. */
export const idText = () =>
  z
    .string("invalid")
    .regex(/^[1-9]\d{0,14}$/, "invalid")
    .transform(Number)
    .meta({ type: "integer", minimum: 1, maximum: 999_999_999_999_999, pattern: undefined });

/** A UUID in any case, converted to lower case. */
export const uuidText = () => z.guid("invalid").toLowerCase();

/** A comma-separated list of the given values in a query, for the OpenAPI document. */
export const listQuery = (values: readonly string[]) =>
  z
    .array(z.enum(values))
    .min(1)
    .optional()
    .meta({ param: { style: "form", explode: false } });

/** The text `true` or `false`, parsed to a boolean. */
export const booleanText = () =>
  z
    .enum(["true", "false"], "invalid")
    .transform((text) => text === "true")
    .meta({ type: "boolean", enum: undefined });

/** The format of a cursor, for the OpenAPI document. Only the service can validate a cursor. */
export const cursorShape = { minLength: 1, maxLength: 3000, pattern: "^[A-Za-z0-9_-]+$" };
