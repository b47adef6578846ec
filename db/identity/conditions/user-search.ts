import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The search index of members, an FTS5 table. `0012_user_search.sql` creates it and the triggers that maintain it. It
 * is not part of the schema, because migrations are generated only from plain tables. `rowid` consists of the company
 * and the user, 32 bits each.
 */
export const user_search = sqliteTable("user_search", {
  rowid: integer().primaryKey(),
  email: text().notNull(),
  username: text().notNull(),
  /** the first and last name as the company sees them */
  name: text().notNull(),
});
