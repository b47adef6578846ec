/** Returns the candidate that `word` was probably meant to be, or undefined when none is similar. */
export function findNearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(word.length / 3));
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ edits }) => edits <= limit)
    .toSorted((a, b) => a.edits - b.edits);
  return ranked[0]?.candidate;
}

/**
 * Returns the number of edits between two words. An edit inserts, deletes or replaces a letter, or swaps two
 * neighbours.
 */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_none, column) => column)];
  const editsAt = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const cost = Math.min(editsAt(i - 1, j) + 1, editsAt(i, j - 1) + 1, editsAt(i - 1, j - 1) + (isSame ? 0 : 1));
      row.push(isSwap ? Math.min(cost, editsAt(i - 2, j - 2) + 1) : cost);
    }
  }
  return editsAt(a.length, b.length);
}
