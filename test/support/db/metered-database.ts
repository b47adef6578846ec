/**
 * An executed statement: its text, its first three words without quotes, and the rows that it read and wrote, including
 * index rows.
 */
type ExecutedStatement = { text: string; statement: string; read: number; written: number };

/**
 * Wraps a database and records each statement with its row counts. Awaits `before` ahead of each network call, and
 * passes it the call's number (from 1).
 */
export function meterDatabase(db: D1Database, before: (call: number) => Promise<unknown> = async () => undefined) {
  const executed: ExecutedStatement[] = [];
  let calls = 0;
  const inner = new WeakMap<object, { statement: D1PreparedStatement; text: string }>();
  const unwrap = (wrapped: D1PreparedStatement) => {
    const statement = inner.get(wrapped);
    if (!statement) throw new Error("the statement belongs to another database");
    return statement;
  };
  const record = ({ meta }: D1Result, text: string) => {
    const statement = text.replace(/"/g, "").split(/\s+/).slice(0, 3).join(" ");
    executed.push({ text, statement, read: meta.rows_read, written: meta.rows_written });
  };
  const wrap = (statement: D1PreparedStatement, text: string): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => wrap(statement.bind(...values), text),
      all: async () => {
        await before(++calls);
        const result = await statement.all();
        record(result, text);
        return result;
      },
    } as unknown as D1PreparedStatement;
    inner.set(wrapped, { statement, text });
    return wrapped;
  };
  const withSession = (constraint: D1SessionConstraint) => {
    const session = db.withSession(constraint);
    return {
      prepare: (text: string) => wrap(session.prepare(text), text),
      batch: async (statements: D1PreparedStatement[]) => {
        await before(++calls);
        const results = await session.batch(statements.map((wrapped) => unwrap(wrapped).statement));
        for (const [index, wrapped] of statements.entries()) record(results[index] as D1Result, unwrap(wrapped).text);
        return results;
      },
      getBookmark: () => session.getBookmark(),
    };
  };
  return {
    db: { withSession } as unknown as D1Database,
    /** returns the statements since the last `takeStatements` */
    takeStatements: () => executed.splice(0),
  };
}
