type Watch = { before?: (call: number) => Promise<void>; after?: (call: number) => Promise<void> };

/**
 * Wraps a database to run `before` and `after` around each call. Both receive the call's number (from 1), and both may
 * throw.
 */
export function watchCalls(db: D1Database, { before, after }: Watch): D1Database {
  let calls = 0;
  const watched = async <T>(run: () => Promise<T>): Promise<T> => {
    calls += 1;
    const call = calls;
    await before?.(call);
    const result = await run();
    await after?.(call);
    return result;
  };
  const inner = new WeakMap<object, D1PreparedStatement>();
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      all: () => watched(() => statement.all()),
    } as unknown as D1PreparedStatement;
    inner.set(wrapped, statement);
    return wrapped;
  };
  const withSession = (constraint: D1SessionConstraint) => {
    const session = db.withSession(constraint);
    return {
      prepare: (text: string) => wrap(session.prepare(text)),
      batch: (statements: D1PreparedStatement[]) =>
        watched(() => session.batch(statements.map((statement) => inner.get(statement) ?? statement))),
      getBookmark: () => session.getBookmark(),
    };
  };
  return { withSession } as unknown as D1Database;
}
