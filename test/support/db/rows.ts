import type { SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/**
 * Rows as the schema types them, for what no call of a service makes or shows. `open` is waited for before each of them: where
 * the way to the database can close while nothing is asked, it opens it again.
 */
export function rowsOf(d1: D1Database, open: () => Promise<unknown> = async () => undefined) {
  const db = drizzle(d1);
  return {
    db,
    /** Stores a row and answers it with its defaults. */
    async insertRow<T extends SQLiteTable>(table: T, values: T["$inferInsert"]): Promise<T["$inferSelect"]> {
      await open();
      const [row] = await db.insert(table).values(values).returning();
      if (row === undefined) throw new Error("the row was not stored");
      return row;
    },
    /** Stores many rows at once. */
    async insertRows<T extends SQLiteTable>(table: T, rows: readonly T["$inferInsert"][]): Promise<void> {
      await open();
      const [first, ...others] = rows.map((values) => db.insert(table).values(values));
      if (first !== undefined) await db.batch([first, ...others]);
    },
    /** The rows that a condition lets through, in the order of `by` or of their keys. */
    async readRows<T extends SQLiteTable>(
      table: T,
      where: SQL | undefined,
      ...by: SQL[]
    ): Promise<T["$inferSelect"][]> {
      await open();
      return db
        .select()
        .from(table as SQLiteTable)
        .where(where)
        .orderBy(...by);
    },
    /** Changes the rows that a condition lets through. */
    async updateRows<T extends SQLiteTable>(
      table: T,
      values: Partial<T["$inferInsert"]>,
      where: SQL | undefined,
    ): Promise<void> {
      await open();
      await db
        .update(table as SQLiteTable)
        .set(values)
        .where(where);
    },
    /** How many rows a condition lets through. */
    async countRows(table: SQLiteTable, where: SQL | undefined): Promise<number> {
      await open();
      return db.$count(table, where);
    },
    /** Deletes the rows that a condition lets through. */
    async deleteRows(table: SQLiteTable, where: SQL | undefined): Promise<void> {
      await open();
      await db.delete(table).where(where);
    },
  };
}
