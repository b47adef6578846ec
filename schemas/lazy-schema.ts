import type * as z from "zod";

/** A schema that is built on first use. */
export type LazySchema<S extends z.ZodType = z.ZodType> = Pick<S, "_zod" | "safeParse"> & {
  /** Returns the schema itself, for example for `shape` or `extend`. */
  unwrap: () => S;
};

/**
 * Returns a schema that is built once, on first use. Building all schemas would take most of the start time, and an isolate
 * uses only a few of them. Therefore every schema is lazy and its parts are functions.
 */
export function lazySchema<S extends z.ZodType>(build: () => S): LazySchema<S> {
  let schema: S | undefined;
  const unwrap = (): S => {
    schema ??= build();
    return schema;
  };
  return {
    unwrap,
    safeParse: (input, options) => unwrap().safeParse(input, options),
    get _zod() {
      return unwrap()._zod;
    },
  };
}
