/** Maximum bytes of a bound value in D1; the local database accepts more. */
const MAX_VALUE_BYTES = 2_000_000;

/** Wraps a database so that it rejects bound values that D1 would reject. */
export function boundedDatabase(db: D1Database): D1Database {
  const inner = new WeakMap<object, D1PreparedStatement>();
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => {
        for (const value of values) {
          if (typeof value === "string" && new TextEncoder().encode(value).length > MAX_VALUE_BYTES) {
            throw new Error("D1_ERROR: string or blob too big: SQLITE_TOOBIG");
          }
        }
        return wrap(statement.bind(...values));
      },
      all: () => statement.all(),
    } as unknown as D1PreparedStatement;
    inner.set(wrapped, statement);
    return wrapped;
  };
  const withSession = (constraint: D1SessionConstraint) => {
    const session = db.withSession(constraint);
    return {
      prepare: (text: string) => wrap(session.prepare(text)),
      batch: (statements: D1PreparedStatement[]) =>
        session.batch(statements.map((statement) => inner.get(statement) ?? statement)),
      getBookmark: () => session.getBookmark(),
    };
  };
  return { withSession } as unknown as D1Database;
}
