import * as z from "zod";

/**
 * A list whose duplicates are removed. If an item is invalid or there are more than `max` items, the whole list is `invalid`,
 * because the contract defines one code per field. `openapi` describes an item in the OpenAPI document.
 */
export function listOf<T extends z.ZodType>(item: T, max: number, openapi: Record<string, unknown>) {
  const list = z.array(item).max(max);
  return z
    .custom<z.output<T>[]>((value) => list.safeParse(value).success, "invalid")
    .transform((items) => [...new Set(items)])
    .meta({ type: "array", maxItems: max, items: openapi });
}
