import type { Db } from "./db/db";
import type { SqlValue as StoredValue } from "./db/kind";
import { registeredStatements as builtStatements } from "./db/statement";

export { ConstraintError, DatabaseError, type Db, openDb } from "./db/db";

/** A value that can be bound to a statement; booleans are stored as 0 and 1. */
export type SqlValue = StoredValue | boolean;

/** A registered SQL text. */
export type Statement = { readonly text: string; bind(db: Db, ...values: SqlValue[]): D1PreparedStatement };

const texts = new Set<string>();

/** Registers a statement text, so that the query plan test sees it. Call at module level. */
export function sql(text: string): Statement {
  texts.add(text);
  return { text, bind: (db, ...values) => db.prepare(text).bind(...values) };
}

/** Every statement text of the modules loaded so far. */
export function registeredStatements(): readonly string[] {
  return [...texts, ...builtStatements()];
}
