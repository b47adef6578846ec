import type { StoredRow, Tables } from "./migrated-database.ts";

/**
 * What a migration makes of a table that it rebuilds or drops: the rows that must be there for those of before, in which table,
 * with the columns that are compared. Without an entry a table keeps every row with every column.
 */
export type Change = { table: string; rows: (before: StoredRow[], tables: Tables) => StoredRow[] };

const canonical = (row: StoredRow, columns: string[]) =>
  JSON.stringify(columns.map((name) => [name, row[name] ?? null]));

/** What of `before` is not in `after`, a sentence for each row, table or column that is lost or changed. */
export function findLosses(before: Tables, after: Tables, changes: Record<string, Change> = {}): string[] {
  return Object.entries(before).flatMap(([table, rows]) => {
    const change = changes[table];
    const target = change?.table ?? table;
    const found = after[target];
    const expected = change ? change.rows(rows, before) : rows;
    if (expected.length === 0) return [];
    if (!found) return [`${target} is gone`];
    const columns = Object.keys(expected[0] ?? {});
    const missing = columns.filter((name) => found.length > 0 && !(name in (found[0] ?? {})));
    if (missing.length > 0) return missing.map((name) => `${target}.${name} is gone`);
    // Equal rows have to be there as often as before.
    const left = new Map<string, number>();
    for (const row of found) {
      const text = canonical(row, columns);
      left.set(text, (left.get(text) ?? 0) + 1);
    }
    return expected.flatMap((row) => {
      const text = canonical(row, columns);
      const count = left.get(text) ?? 0;
      left.set(text, count - 1);
      return count > 0 ? [] : [`${target} lost ${text}`];
    });
  });
}
