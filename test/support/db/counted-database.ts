/** Wraps a database so that each call over the network is counted. */
export function countRoundTrips(db: D1Database): { db: D1Database; count: () => number; largestBatch: () => number } {
  let calls = 0;
  let largest = 0;
  const counted = {
    withSession: (constraint: D1SessionConstraint) => {
      const session = db.withSession(constraint);
      return {
        prepare: (text: string) => countStatement(session.prepare(text)),
        batch: (statements: D1PreparedStatement[]) => {
          calls += 1;
          largest = Math.max(largest, statements.length);
          return session.batch(statements.map((statement) => inner.get(statement) ?? statement));
        },
        getBookmark: () => session.getBookmark(),
      };
    },
  };
  const inner = new WeakMap<object, D1PreparedStatement>();
  function countStatement(statement: D1PreparedStatement): D1PreparedStatement {
    const wrapped = {
      bind: (...values: unknown[]) => countStatement(statement.bind(...values)),
      all: () => {
        calls += 1;
        return statement.all();
      },
    } as unknown as D1PreparedStatement;
    inner.set(wrapped, statement);
    return wrapped;
  }
  return { db: counted as unknown as D1Database, count: () => calls, largestBatch: () => largest };
}
