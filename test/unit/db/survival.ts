import type { StoredRow, Tables } from "../../support/db/migrated/database.ts";

/**
 * Describes a table that a migration rebuilds or drops: the table that must contain its rows afterwards, and the rows
 * and columns to compare. A table without an entry must keep every row with every column.
 */
export type Change = { table: string; rows: (before: StoredRow[], tables: Tables) => StoredRow[] };

const canonical = (row: StoredRow, columns: string[]) =>
  JSON.stringify(columns.map((name) => [name, row[name] ?? null]));

/** Returns a sentence for each row, table or column of `before` that is missing or changed in `after`. */
export function findLosses(before: Tables, after: Tables, changes: Record<string, Change> = {}): string[] {
  return Object.entries(before).flatMap(([table, rows]) => {
    const change = changes[table];
    const target = change?.table ?? table;
    const rowsAfter = after[target];
    const expected = change ? change.rows(rows, before) : rows;
    if (expected.length === 0) return [];
    if (!rowsAfter) return [`${target} is gone`];
    const columns = Object.keys(expected[0] ?? {});
    const missing = columns.filter((name) => rowsAfter.length > 0 && !(name in (rowsAfter[0] ?? {})));
    if (missing.length > 0) return missing.map((name) => `${target}.${name} is gone`);
    // Duplicate rows must occur as often as before.
    const counts = new Map<string, number>();
    for (const row of rowsAfter) {
      const text = canonical(row, columns);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    return expected.flatMap((row) => {
      const text = canonical(row, columns);
      const count = counts.get(text) ?? 0;
      counts.set(text, count - 1);
      return count > 0 ? [] : [`${target} lost ${text}`];
    });
  });
}
