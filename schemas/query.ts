import * as z from "zod";
import { lazySchema } from "./lazy-schema";

/** Query with the company id, read by `companyScope`. */
export const companyQuery = lazySchema(() => z.object({ company_id: z.string().optional() }));

/** The `id` in a path for the OpenAPI document: a row id or a uuid. A malformed id is 404, like a missing row. */
export const rowIdPath = lazySchema(() => z.object({ id: z.int().min(1) }));
export const uuidPath = lazySchema(() => z.object({ id: z.uuid() }));

/** A complete ISO 8601 time with offset, parsed to ms since the epoch; it must exist in the calendar. */
export const timeText = () =>
  z.iso.datetime({ offset: true, error: "invalid" }).transform((text, context) => {
    const ms = Date.parse(text);
    if (Number.isSafeInteger(ms)) return ms;
    context.addIssue({ code: "custom", message: "invalid" });
    return z.NEVER;
  });

/** An integer id of at least 1. */
export const idText = () =>
  z
    .string("invalid")
    .regex(/^[1-9]\d{0,14}$/, "invalid")
    .transform(Number)
    .meta({ type: "integer", minimum: 1, maximum: 999_999_999_999_999, pattern: undefined });

/** A uuid in any case; stored in lower case. */
export const uuidText = () => z.guid("invalid").toLowerCase();

/** A comma-separated list of these values in a query, for the OpenAPI document. */
export const listQuery = (values: readonly string[]) =>
  z
    .array(z.enum(values))
    .min(1)
    .optional()
    .meta({ param: { style: "form", explode: false } });

/** `true` or `false`. */
export const booleanText = () =>
  z
    .enum(["true", "false"], "invalid")
    .transform((text) => text === "true")
    .meta({ type: "boolean", enum: undefined });

/** A cursor for the OpenAPI document; only the service can validate it. */
export const cursorShape = { minLength: 1, maxLength: 3000, pattern: "^[A-Za-z0-9_-]+$" };
