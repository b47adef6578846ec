import type * as z from "zod";

/** A schema that is built when it is first used. */
export type LazySchema<S extends z.ZodType = z.ZodType> = Pick<S, "_zod" | "safeParse"> & {
  /** the schema itself, for `shape`, `extend` and their like */
  unwrap: () => S;
};

/**
 * Builds a schema when somebody uses it, once. Building is most of what a start would cost, and an isolate uses few schemas: so
 * every schema is written this way, and its parts are functions.
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
