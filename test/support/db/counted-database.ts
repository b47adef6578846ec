type Counted = {
  db: D1Database;
  count: () => number;
  /** number of sequential calls; concurrent calls count as one */
  countRoundTrips: () => number;
  largestBatch: () => number;
  /** number of statements, in batches and alone */
  countStatements: () => number;
  /** the bookmark or constraint with which each session started */
  starts: string[];
};

/** Wraps a database and counts its network calls. */
export function countRoundTrips(db: D1Database): Counted {
  const starts: string[] = [];
  let calls = 0;
  let roundTrips = 0;
  let pendingCalls = 0;
  const call = async <T>(run: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (pendingCalls === 0) roundTrips += 1;
    pendingCalls += 1;
    try {
      return await run();
    } finally {
      pendingCalls -= 1;
    }
  };
  let largest = 0;
  let statements = 0;
  const counted = {
    withSession: (constraint: D1SessionConstraint) => {
      starts.push(constraint);
      const session = db.withSession(constraint);
      return {
        prepare: (text: string) => countStatement(session.prepare(text)),
        batch: (batch: D1PreparedStatement[]) => {
          largest = Math.max(largest, batch.length);
          statements += batch.length;
          return call(() => session.batch(batch.map((statement) => inner.get(statement) ?? statement)));
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
        statements += 1;
        return call(() => statement.all());
      },
    } as unknown as D1PreparedStatement;
    inner.set(wrapped, statement);
    return wrapped;
  }
  return {
    db: counted as unknown as D1Database,
    count: () => calls,
    countRoundTrips: () => roundTrips,
    largestBatch: () => largest,
    countStatements: () => statements,
    starts,
  };
}
