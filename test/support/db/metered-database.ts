/** A statement that ran: its first words, and the rows that it read and wrote. */
type Metered = { statement: string; read: number; written: number };

/** Wraps a database so that the rows that each statement reads and writes are known. */
export function meterRows(db: D1Database): { db: D1Database; take: () => Metered[] } {
  let metered: Metered[] = [];
  const texts = new WeakMap<object, string>();
  const note = (text: string, { meta }: D1Result) => {
    const statement = text.replace(/"/g, "").split(/\s+/).slice(0, 3).join(" ");
    metered.push({ statement, read: meta.rows_read, written: meta.rows_written });
  };
  const withSession = (constraint: D1SessionConstraint) => {
    const session = db.withSession(constraint);
    const inner = new WeakMap<object, D1PreparedStatement>();
    const wrap = (statement: D1PreparedStatement, text: string): D1PreparedStatement => {
      const wrapped = {
        bind: (...values: unknown[]) => wrap(statement.bind(...values), text),
        all: async () => {
          const answer = await statement.all();
          note(text, answer);
          return answer;
        },
      } as unknown as D1PreparedStatement;
      inner.set(wrapped, statement);
      texts.set(wrapped, text);
      return wrapped;
    };
    return {
      prepare: (text: string) => wrap(session.prepare(text), text),
      batch: async (statements: D1PreparedStatement[]) => {
        const answers = await session.batch(statements.map((statement) => inner.get(statement) ?? statement));
        for (const [at, answer] of answers.entries()) note(texts.get(statements[at] ?? {}) ?? "", answer);
        return answers;
      },
      getBookmark: () => session.getBookmark(),
    };
  };
  return {
    db: { withSession } as unknown as D1Database,
    /** those since the last call */
    take: () => {
      const taken = metered;
      metered = [];
      return taken;
    },
  };
}
