import type { SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/**
 * Returns typed helpers that read and write rows directly, for data that no API request creates or returns. `attempt`
 * wraps each call, for connections that may need a retry.
 */
export function rowsOf(d1: D1Database, attempt: <T>(call: () => Promise<T>) => Promise<T> = (call) => call()) {
  const db = drizzle(d1);
  return {
    db,
    /** Inserts a row and returns it with its defaults. */
    async insertRow<T extends SQLiteTable>(table: T, values: T["$inferInsert"]): Promise<T["$inferSelect"]> {
      const [row] = await attempt(async () => db.insert(table).values(values).returning());
      if (row === undefined) throw new Error("the row was not stored");
      return row;
    },
    /** Inserts many rows in one batch. */
    async insertRows<T extends SQLiteTable>(table: T, rows: readonly T["$inferInsert"][]): Promise<void> {
      const [first, ...rest] = rows.map((values) => db.insert(table).values(values));
      if (first !== undefined) await attempt(() => db.batch([first, ...rest]));
    },
    /** Returns the rows that match a condition, ordered by `order`. */
    async readRows<T extends SQLiteTable>(
      table: T,
      where: SQL | undefined,
      ...order: SQL[]
    ): Promise<T["$inferSelect"][]> {
      return attempt(async () =>
        db
          .select()
          .from(table as SQLiteTable)
          .where(where)
          .orderBy(...order),
      );
    },
    /** Updates the rows that match a condition. */
    async updateRows<T extends SQLiteTable>(
      table: T,
      values: Partial<T["$inferInsert"]>,
      where: SQL | undefined,
    ): Promise<void> {
      await attempt(async () =>
        db
          .update(table as SQLiteTable)
          .set(values)
          .where(where),
      );
    },
    /** Returns the number of rows that match a condition. */
    async countRows(table: SQLiteTable, where: SQL | undefined): Promise<number> {
      return attempt(async () => db.$count(table, where));
    },
    /** Deletes the rows that match a condition. */
    async deleteRows(table: SQLiteTable, where: SQL | undefined): Promise<void> {
      await attempt(async () => db.delete(table).where(where));
    },
  };
}
