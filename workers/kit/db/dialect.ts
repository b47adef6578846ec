import { type Column, is, Param, type SQL, Table } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";

type Row = Record<string, Param | SQL>;

// Drizzle marks it as internal in its types.
const { Columns } = (Table as unknown as { Symbol: { Columns: symbol } }).Symbol;

/**
 * Drizzle's dialect, which names a column as its table does, and in a new row the columns that have a value. Drizzle itself
 * remembers the columns of the first table of a name: where the kit knows a part of a service's table, columns of the whole
 * would be unknown. And it writes a null for an id that the database chooses, for which SQLite reads a row more.
 */
export function createDialect(): SQLiteSyncDialect {
  const dialect = new SQLiteSyncDialect();
  // Drizzle leaves it out of the types.
  const { casing } = dialect as unknown as { casing: { getColumnCasing: (column: Column) => string } };
  casing.getColumnCasing = ({ name }) => name;
  const insert = dialect.buildInsertQuery.bind(dialect);
  dialect.buildInsertQuery = (config) => {
    const { table, values } = config;
    if (!Array.isArray(values)) return insert(config);
    const rows = values as Row[];
    const { [Columns]: columns } = table as unknown as Record<symbol, Record<string, Column>>;
    const given = Object.entries(columns ?? {}).filter(([key]) => rows.some((row) => hasValue(row[key])));
    return insert({ ...config, table: Object.create(table, { [Columns]: { value: Object.fromEntries(given) } }) });
  };
  return dialect;
}

const hasValue = (value: Param | SQL | undefined) =>
  value !== undefined && !(is(value, Param) && value.value === undefined);
