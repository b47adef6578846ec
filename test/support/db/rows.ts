import { count, type SQL } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { drizzle } from "drizzle-orm/d1";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

type Statements = [BatchItem<"sqlite">, ...BatchItem<"sqlite">[]];

/**
 * Returns typed helpers that read and write rows directly, for data that no API request creates or returns. `attempt`
 * wraps each call, for connections that may need a retry.
 */
export function rowsOf(d1: D1Database, attempt: <T>(call: () => Promise<T>) => Promise<T> = (call) => call()) {
  const db = drizzle(d1);
  type Run = { statements: Statements; resolve: (results: unknown[]) => void; reject: (error: unknown) => void };
  let waiting: Run[] = [];
  const runWaiting = async () => {
    const runs = waiting;
    waiting = [];
    try {
      const results = await attempt(() => db.batch(runs.flatMap(({ statements }) => statements) as Statements));
      for (const { statements, resolve } of runs) resolve(results.splice(0, statements.length));
    } catch (error) {
      for (const { reject } of runs) reject(error);
    }
  };
  /**
   * Runs statements in one batch and returns their results. Calls that start at the same time share the batch, because a call
   * to D1 takes longer than its statements.
   */
  const runTogether = <S extends Statements>(...statements: S): Promise<{ [I in keyof S]: S[I]["_"]["result"] }> =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) void Promise.resolve().then(runWaiting);
      waiting.push({ statements, resolve: resolve as Run["resolve"], reject });
    });
  return {
    db,
    runTogether,
    /** Inserts a row and returns it with its defaults. */
    async insertRow<T extends SQLiteTable>(table: T, values: T["$inferInsert"]): Promise<T["$inferSelect"]> {
      const [[row]] = await runTogether(db.insert(table).values(values).returning());
      if (row === undefined) throw new Error("the row was not stored");
      return row;
    },
    /** Inserts many rows in one batch. */
    async insertRows<T extends SQLiteTable>(table: T, rows: readonly T["$inferInsert"][]): Promise<void> {
      const [first, ...rest] = rows.map((values) => db.insert(table).values(values));
      if (first !== undefined) await runTogether(first, ...rest);
    },
    /** Returns the rows that match a condition, ordered by `order`. */
    async readRows<T extends SQLiteTable>(
      table: T,
      where: SQL | undefined,
      ...order: SQL[]
    ): Promise<T["$inferSelect"][]> {
      const select = db.select().from(table as SQLiteTable);
      const [rows] = await runTogether(select.where(where).orderBy(...order));
      return rows;
    },
    /** Updates the rows that match a condition. */
    async updateRows<T extends SQLiteTable>(
      table: T,
      values: Partial<T["$inferInsert"]>,
      where: SQL | undefined,
    ): Promise<void> {
      await runTogether(
        db
          .update(table as SQLiteTable)
          .set(values)
          .where(where),
      );
    },
    /** Returns the number of rows that match a condition. */
    async countRows(table: SQLiteTable, where: SQL | undefined): Promise<number> {
      const [rows] = await runTogether(db.select({ count: count() }).from(table).where(where));
      return rows[0]?.count ?? 0;
    },
    /** Deletes the rows that match a condition. */
    async deleteRows(table: SQLiteTable, where: SQL | undefined): Promise<void> {
      await runTogether(db.delete(table).where(where));
    },
  };
}
