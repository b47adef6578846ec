/** A measured value. `target` is its maximum. */
export type Row = { name: string; value: number; target?: number; unit: "KB" | "ms" | "" };

const format = (value: number, unit: Row["unit"]) =>
  unit === "ms" ? `${value.toFixed(0)} ms` : unit === "KB" ? `${value.toFixed(1)} KB` : value.toFixed(3);

const isMissed = ({ value, target }: Row) => target !== undefined && !(value <= target);

/** Prints the rows of a part below its title and marks those above their maximum. Returns the number of marked rows. */
export function printRows(title: string, rows: readonly Row[]): number {
  console.log(`\n${title}`);
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const row of rows) {
    const target = row.target === undefined ? "" : `at most ${format(row.target, row.unit)}`;
    const cells = [row.name.padEnd(width), format(row.value, row.unit).padStart(10), target.padStart(18)];
    console.log(`  ${cells.join("  ")}${isMissed(row) ? "  MISSED" : ""}`);
  }
  return rows.filter(isMissed).length;
}

/** Returns the median, or NaN without values. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
