import type { Column } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";

/**
 * Drizzle's dialect, which names a column as its table does. Drizzle itself remembers the columns of the first table of a
 * name: where the kit knows a part of a service's table, columns of the whole would be unknown.
 */
export function createDialect(): SQLiteSyncDialect {
  const dialect = new SQLiteSyncDialect();
  // Drizzle leaves it out of the types.
  const { casing } = dialect as unknown as { casing: { getColumnCasing: (column: Column) => string } };
  casing.getColumnCasing = ({ name }) => name;
  return dialect;
}
