import type * as z from "zod";

/** A schema that is built on first use. */
export type LazySchema<S extends z.ZodType = z.ZodType> = Pick<S, "_zod" | "safeParse"> & {
  /** the schema itself, for `shape`, `extend` and similar */
  unwrap: () => S;
};

/**
 * Builds a schema once, on first use. Building schemas would be most of the start time, and an isolate uses few of them, so every
 * schema is lazy and its parts are functions.
 */
export function lazySchema<S extends z.ZodType>(make: () => S): LazySchema<S> {
  let made: S | undefined;
  const unwrap = (): S => {
    made ??= make();
    return made;
  };
  return {
    unwrap,
    safeParse: (input, options) => unwrap().safeParse(input, options),
    get _zod() {
      return unwrap()._zod;
    },
  };
}
