import type { SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/**
 * Rows as the schema types them, for what no call of a service makes or shows. `attempt` makes each of the calls: where the way
 * to the database can close while nothing is asked, it makes one again that found it closed.
 */
export function rowsOf(d1: D1Database, attempt: <T>(call: () => Promise<T>) => Promise<T> = (call) => call()) {
  const db = drizzle(d1);
  return {
    db,
    /** Stores a row and answers it with its defaults. */
    async insertRow<T extends SQLiteTable>(table: T, values: T["$inferInsert"]): Promise<T["$inferSelect"]> {
      const [row] = await attempt(async () => db.insert(table).values(values).returning());
      if (row === undefined) throw new Error("the row was not stored");
      return row;
    },
    /** Stores many rows at once. */
    async insertRows<T extends SQLiteTable>(table: T, rows: readonly T["$inferInsert"][]): Promise<void> {
      const [first, ...others] = rows.map((values) => db.insert(table).values(values));
      if (first !== undefined) await attempt(() => db.batch([first, ...others]));
    },
    /** The rows that a condition lets through, in the order of `by` or of their keys. */
    async readRows<T extends SQLiteTable>(
      table: T,
      where: SQL | undefined,
      ...by: SQL[]
    ): Promise<T["$inferSelect"][]> {
      return attempt(async () =>
        db
          .select()
          .from(table as SQLiteTable)
          .where(where)
          .orderBy(...by),
      );
    },
    /** Changes the rows that a condition lets through. */
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
    /** How many rows a condition lets through. */
    async countRows(table: SQLiteTable, where: SQL | undefined): Promise<number> {
      return attempt(async () => db.$count(table, where));
    },
    /** Deletes the rows that a condition lets through. */
    async deleteRows(table: SQLiteTable, where: SQL | undefined): Promise<void> {
      await attempt(async () => db.delete(table).where(where));
    },
  };
}
