import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The search in members, an FTS5 table that `0012_user_search.sql` makes and its triggers keep: beside the schema, since
 * migrations are generated of plain tables alone. `rowid` is the company and the user, 32 bits each.
 */
export const user_search = sqliteTable("user_search", {
  rowid: integer().primaryKey(),
  email: text().notNull(),
  username: text().notNull(),
  /** first and last name as the company sees them */
  name: text().notNull(),
});
