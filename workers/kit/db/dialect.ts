import { type Column, is, Param, type SQL, Table } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";

type Row = Record<string, Param | SQL>;

// Drizzle's types mark this symbol as internal.
const { Columns } = (Table as unknown as { Symbol: { Columns: symbol } }).Symbol;

/**
 * Returns a Drizzle dialect with two changes.
 * 1. Column names come from the table itself. Drizzle caches the columns of the first table with a name, which is wrong
 * when the kit declares a part of a service's table.
 * 2. An INSERT lists only the columns that have a value. Drizzle inserts null for an id that the database chooses,
 * which makes SQLite read one more row.
 */
export function createDialect(): SQLiteSyncDialect {
  const dialect = new SQLiteSyncDialect();
  // Drizzle's types omit this member.
  const { casing } = dialect as unknown as { casing: { getColumnCasing: (column: Column) => string } };
  casing.getColumnCasing = ({ name }) => name;
  const insert = dialect.buildInsertQuery.bind(dialect);
  dialect.buildInsertQuery = (config) => {
    const { table, values } = config;
    if (!Array.isArray(values)) return insert(config);
    const rows = values as Row[];
    const { [Columns]: columns } = table as unknown as Record<symbol, Record<string, Column>>;
    const columnsWithValue = Object.entries(columns ?? {}).filter(([key]) => rows.some((row) => hasValue(row[key])));
    return insert({
      ...config,
      table: Object.create(table, { [Columns]: { value: Object.fromEntries(columnsWithValue) } }),
    });
  };
  return dialect;
}

const hasValue = (value: Param | SQL | undefined) =>
  value !== undefined && !(is(value, Param) && value.value === undefined);
