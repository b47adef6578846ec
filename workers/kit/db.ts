import type { Db } from "./db/db";
import type { SqlValue as StoredValue } from "./db/kind";
import { type Bound, registeredStatements as builtStatements, type StoredRow } from "./db/statement";

export { ConstraintError, DatabaseError, type Db, openDb } from "./db/db";

/** A value that can be bound to a statement; booleans are stored as 0 and 1. */
export type SqlValue = StoredValue | boolean;

/** A registered SQL text; bound, it may stand in a batch of either form. */
export type Statement = {
  readonly text: string;
  bind(db: Db, ...values: SqlValue[]): D1PreparedStatement & Bound<StoredRow>;
};

const texts = new Set<string>();

/** Registers a statement text, so that the query plan test sees it. Call at module level. */
export function sql(text: string): Statement {
  texts.add(text);
  const stored = (value: SqlValue) => (typeof value === "boolean" ? Number(value) : value);
  return {
    text,
    bind: (db, ...values) =>
      Object.assign(db.prepare(text).bind(...values), {
        parts: [{ text, values: values.map(stored) }],
        read: (row: StoredRow) => row,
      }),
  };
}

/** Every statement text of the modules loaded so far. */
export function registeredStatements(): readonly string[] {
  return [...texts, ...builtStatements()];
}
