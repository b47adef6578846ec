/** The database that loses the answer of its n-th batch (from 1): it is stored, and the caller has to repeat it. */
export function loseAnswer(db: D1Database, call: number): D1Database {
  let calls = 0;
  const withSession = (constraint: D1SessionConstraint) => {
    const session = db.withSession(constraint);
    return {
      prepare: (text: string) => session.prepare(text),
      batch: async (statements: D1PreparedStatement[]) => {
        calls += 1;
        const current = calls;
        const answers = await session.batch(statements);
        if (current === call) throw new Error("D1_ERROR: Network connection lost.");
        return answers;
      },
      getBookmark: () => session.getBookmark(),
    };
  };
  return { withSession } as unknown as D1Database;
}
