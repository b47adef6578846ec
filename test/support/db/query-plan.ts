/** Names under which a statement reads stored tables: the tables themselves and their aliases. */
function namesOf(text: string, tables: ReadonlySet<string>): Set<string> {
  const names = new Set<string>(tables);
  for (const [, table = "", alias = ""] of text.matchAll(
    /\b(?:FROM|JOIN|UPDATE|INTO)\s+"?(\w+)"?(?:\s+AS)?\s+"?(\w+)"?/gi,
  )) {
    if (tables.has(table)) names.add(alias);
  }
  return names;
}

/**
 * Statements whose plan scans a stored table or one of its indexes, with the line that says so. Lists of the caller
 * (json_each), constant rows and the results of inner queries are no stored tables; a ping that reads one row of a table
 * (`SELECT column FROM table LIMIT 1`) scans no further than that row.
 */
export async function explainScans(db: D1Database, statements: readonly string[]): Promise<string[]> {
  const master = await db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all<{ name: string }>();
  const tables = new Set(master.results.map((row) => row.name));
  const scans: string[] = [];
  for (const text of statements) {
    if (/^SELECT "?\w+"? FROM "?\w+"? LIMIT 1$/i.test(text)) continue;
    const names = namesOf(text, tables);
    const count = Math.max(0, ...[...text.matchAll(/\?(\d+)/g)].map((match) => Number(match[1])));
    const values = Array.from({ length: count }, () => null);
    const plan = await db
      .prepare(`EXPLAIN QUERY PLAN ${text}`)
      .bind(...values)
      .all<{ detail: string }>();
    for (const { detail } of plan.results) {
      const scanned = /^SCAN (\w+)/.exec(detail)?.[1];
      if (scanned && names.has(scanned)) scans.push(`${detail} <- ${text.replace(/\s+/g, " ").slice(0, 160)}`);
    }
  }
  return scans;
}
