/**
 * Wraps a database so that the response of batch number `call` (from 1) is lost after the commit, and the caller must
 * repeat the batch.
 */
export function loseAnswer(db: D1Database, call: number): D1Database {
  let calls = 0;
  const withSession = (constraint: D1SessionConstraint) => {
    const session = db.withSession(constraint);
    return {
      prepare: (text: string) => session.prepare(text),
      batch: async (statements: D1PreparedStatement[]) => {
        calls += 1;
        const current = calls;
        const results = await session.batch(statements);
        if (current === call) throw new Error("D1_ERROR: Network connection lost.");
        return results;
      },
      getBookmark: () => session.getBookmark(),
    };
  };
  return { withSession } as unknown as D1Database;
}
