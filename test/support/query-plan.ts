/**
 * Statements whose plan scans a stored table, with the line that says so. Scans of json_each (the caller's own list), of
 * constant rows, and of a table that is read for one row at most (`LIMIT 1` health pings) are none.
 */
export async function explainScans(db: D1Database, statements: readonly string[]): Promise<string[]> {
  const scans: string[] = [];
  for (const text of statements) {
    const count = Math.max(0, ...[...text.matchAll(/\?(\d+)/g)].map((match) => Number(match[1])));
    const values = Array.from({ length: count }, () => null);
    const plan = await db
      .prepare(`EXPLAIN QUERY PLAN ${text}`)
      .bind(...values)
      .all<{ detail: string }>();
    for (const { detail } of plan.results) {
      const isScan = /^SCAN (?!json_each|CONSTANT ROW|\d+ CONSTANT)/.test(detail) && !/VIRTUAL TABLE/.test(detail);
      if (isScan && !/^SELECT \w+ FROM \w+ LIMIT 1$/.test(text))
        scans.push(`${detail} <- ${text.replace(/\s+/g, " ").slice(0, 160)}`);
    }
  }
  return scans;
}
