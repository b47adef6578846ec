type Watch = { before?: (call: number) => Promise<void>; after?: (call: number) => Promise<void> };

/**
 * Wraps a database to run `before` and `after` around each call. Both receive the call's number (from 1), and both may
 * throw.
 */
export function watchCalls(db: D1Database, { before, after }: Watch): D1Database {
  let calls = 0;
  return wrapCalls(db, async (run) => {
    calls += 1;
    const call = calls;
    await before?.(call);
    const result = await run();
    await after?.(call);
    return result;
  });
}

/** Wraps a database so that `call` makes each call to it. `check` gets the values of each statement, and may throw. */
export function wrapCalls(
  db: D1Database,
  call: <T>(run: () => Promise<T>) => Promise<T>,
  check?: (values: readonly unknown[]) => void,
): D1Database {
  const inner = new WeakMap<object, D1PreparedStatement>();
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => {
        check?.(values);
        return wrap(statement.bind(...values));
      },
      all: () => call(() => statement.all()),
    } as unknown as D1PreparedStatement;
    inner.set(wrapped, statement);
    return wrapped;
  };
  const withSession = (constraint: D1SessionConstraint) => {
    const session = db.withSession(constraint);
    return {
      prepare: (text: string) => wrap(session.prepare(text)),
      batch: (statements: D1PreparedStatement[]) =>
        call(() => session.batch(statements.map((statement) => inner.get(statement) ?? statement))),
      getBookmark: () => session.getBookmark(),
    };
  };
  return { withSession } as unknown as D1Database;
}
