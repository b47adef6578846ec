import { wrapCalls } from "./watched-database";

/** Maximum bytes of a bound value in D1; the local database accepts more. */
const MAX_VALUE_BYTES = 2_000_000;

/** Wraps a database so that it rejects bound values that D1 would reject. */
export const boundedDatabase = (db: D1Database): D1Database =>
  wrapCalls(
    db,
    (run) => run(),
    (values) => {
      for (const value of values) {
        if (typeof value === "string" && new TextEncoder().encode(value).length > MAX_VALUE_BYTES) {
          throw new Error("D1_ERROR: string or blob too big: SQLITE_TOOBIG");
        }
      }
    },
  );
