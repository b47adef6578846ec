import * as z from "zod";

/**
 * A schema that is built when somebody asks for it, once: for answers, which are checked by nobody and shown by the OpenAPI
 * document. `unwrap()` is the schema itself, for `shape`, `extend` and their like.
 */
export function lazySchema<S extends z.ZodType>(make: () => S): z.ZodLazy<S> {
  let made: S | undefined;
  return z.lazy(() => {
    made ??= make();
    return made;
  });
}
