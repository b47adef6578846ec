/** What the reads of a page find: its rows, one more than it holds, and how many there are in all. */
export type ListResults<Row> = [Row, { count: number }];

/** Rows and number of a page; behind a cursor nothing is counted. */
export function readListResults<Row>([rows, count]: [D1Result<Row>, D1Result<{ count: number }>?]): {
  rows: Row[];
  count: number;
} {
  return { rows: rows.results, count: count?.results[0]?.count ?? 0 };
}
