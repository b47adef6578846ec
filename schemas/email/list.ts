import * as z from "zod";

/**
 * A list without duplicates. Any invalid item, or more than `max` items, makes the whole list `invalid`: the contract defines
 * one code for these fields, not one for each item. `openapi` describes an item in the document.
 */
export function listOf<T extends z.ZodType>(item: T, max: number, openapi: Record<string, unknown>) {
  const list = z.array(item).max(max);
  return z
    .custom<z.output<T>[]>((value) => list.safeParse(value).success, "invalid")
    .transform((items) => [...new Set(items)])
    .meta({ type: "array", maxItems: max, items: openapi });
}
