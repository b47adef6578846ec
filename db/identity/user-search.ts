import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The search of members, an FTS5 table that `0012_user_search.sql` creates and its triggers maintain. It is not part of the
 * schema, because migrations are generated from plain tables only. `rowid` is the company and the user, 32 bits each.
 */
export const user_search = sqliteTable("user_search", {
  rowid: integer().primaryKey(),
  email: text().notNull(),
  username: text().notNull(),
  /** first and last name as the company sees them */
  name: text().notNull(),
});
