import type { IdentityBindings } from "../../../workers/identity/bindings";

type Session = ReturnType<D1Database["withSession"]>;
type Statement = { key: string; prepareIn: (session: Session) => D1PreparedStatement };

/**
 * Wraps a database to simulate a stale replica: a session with the constraint `first-unconstrained` repeats the first
 * result of each statement. `refuses` lists bookmarks that the database rejects. `starts` records the constraint or
 * bookmark of each session.
 */
export function lagBehind(db: D1Database, refuses: readonly string[] = []) {
  const starts: string[] = [];
  const firstResults = new Map<string, unknown>();
  const withSession = (start: D1SessionConstraint | D1SessionBookmark) => {
    starts.push(start);
    const session = db.withSession(start);
    const read = async <T>(statements: Statement[], run: () => Promise<T>): Promise<T> => {
      if (refuses.includes(start)) throw new Error("D1_ERROR: no such bookmark");
      if (start !== "first-unconstrained") return run();
      const key = statements.map((statement) => statement.key).join("\n");
      if (!firstResults.has(key)) firstResults.set(key, await run());
      return firstResults.get(key) as T;
    };
    const prepare = (text: string) => ({
      bind: (...values: unknown[]) => {
        const statement = {
          key: JSON.stringify([text, values]),
          prepareIn: (target: Session) => target.prepare(text).bind(...values),
        };
        return { ...statement, all: () => read([statement], () => statement.prepareIn(session).all()) };
      },
    });
    const batch = (statements: Statement[]) =>
      read(statements, () => session.batch(statements.map(({ prepareIn }) => prepareIn(session))));
    return { prepare, batch, getBookmark: () => session.getBookmark() };
  };
  return { db: { withSession } as unknown as IdentityBindings["DB"], starts };
}
