import type { BatchItem, BatchResults, Result } from "./db";

/** A batch as a list, and its results by name again; goes with the last list of statements. */
export function asList<T extends Record<string, BatchItem>>(batch: T) {
  const names = Object.keys(batch).filter((name) => batch[name] !== null);
  return {
    statements: names.map((name) => batch[name] as unknown as D1PreparedStatement),
    read: (list: readonly D1Result<unknown>[]): BatchResults<T> => {
      const found = names.map((name, place): [string, Result<unknown>] => {
        const { results: rows = [], meta } = list[place] ?? {};
        return [name, { rows, first: rows[0] ?? null, changes: meta?.changes ?? 0 }];
      });
      const missing = Object.keys(batch).map((name) => [name, null]);
      return { ...Object.fromEntries(missing), ...Object.fromEntries(found) } as BatchResults<T>;
    },
  };
}
