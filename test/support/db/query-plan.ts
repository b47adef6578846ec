type Schema = { tables: ReadonlySet<string>; tableOf: ReadonlyMap<string, string> };

/**
 * The query plan of a statement, with one line per step, indented below its parent. It does not depend on aliases or
 * formatting.
 */
export type Plan = { text: string; lines: string[] };

/**
 * Returns the query plans of statements. Steps contain table names instead of aliases, subqueries have no name or
 * number, and the first line names the changed table. All parameters are bound as null, because plans do not depend on
 * them.
 */
export async function explain(db: D1Database, statements: readonly string[]): Promise<Plan[]> {
  const schema = await readSchema(db);
  const plans: Plan[] = [];
  for (const text of statements) {
    const count = Math.max(0, ...[...text.matchAll(/\?(\d+)/g)].map((match) => Number(match[1])));
    const values = Array.from({ length: count }, () => null);
    const { results } = await db
      .prepare(`EXPLAIN QUERY PLAN ${text}`)
      .bind(...values)
      .all<{ id: number; parent: number; detail: string }>();
    const plain = withoutQuotes(text);
    const stored = storedNames(plain, schema);
    const depths = new Map<number, number>([[0, 0]]);
    const steps = results.map(({ id, parent, detail }) => {
      const depth = (depths.get(parent) ?? 0) + 1;
      depths.set(id, depth);
      return "  ".repeat(depth) + stepOf(detail, stored, schema);
    });
    plans.push({ text, lines: [headOf(plain), ...steps] });
  }
  return plans;
}

/**
 * Returns the content of `plans.txt`: each distinct plan, sorted, below the SQL of its statements, separated by blank
 * lines.
 */
export function listPlans(plans: readonly Plan[]): string {
  const texts = new Map<string, Set<string>>();
  for (const { text, lines } of plans) {
    const plan = lines.join("\n");
    texts.set(plan, (texts.get(plan) ?? new Set()).add(`-- ${withoutQuotes(text).replace(/\s+/g, " ").trim()}`));
  }
  const sorted = [...texts].sort(([left], [right]) => (left < right ? -1 : 1));
  return sorted.map(([plan, statements]) => `${[...[...statements].sort(), plan].join("\n")}\n`).join("\n");
}

/**
 * Returns the steps that scan a stored table or index, each with its statement. The caller's lists (json_each),
 * constant rows and results of subqueries are not stored tables. A health check (`SELECT column FROM table LIMIT 1`)
 * reads only one row and is allowed.
 */
export function findScans(plans: readonly Plan[]): string[] {
  return plans
    .filter(({ text }) => !/^select \w+ from \w+ limit 1$/i.test(withoutQuotes(text)))
    .flatMap(({ text, lines }) =>
      lines
        .filter((line) => /^ +SCAN (?!CONSTANT|json_each|subquery)/.test(line))
        .map((line) => `${line.trim()} <- ${text.replace(/\s+/g, " ").slice(0, 160)}`),
    );
}

async function readSchema(db: D1Database): Promise<Schema> {
  const { results } = await db
    .prepare("SELECT type, name, tbl_name FROM sqlite_master WHERE type IN ('table', 'index')")
    .all<{ type: string; name: string; tbl_name: string }>();
  return {
    tables: new Set(results.filter(({ type }) => type === "table").map(({ name }) => name)),
    tableOf: new Map(results.filter(({ type }) => type === "index").map(({ name, tbl_name }) => [name, tbl_name])),
  };
}

const withoutQuotes = (text: string) => text.replace(/"(\w+)"/g, "$1");

/** Maps each table name and alias in a statement to the stored tables that it can mean. */
function storedNames(text: string, { tables }: Schema): Map<string, Set<string>> {
  const names = new Map([...tables].map((table) => [table, new Set([table])]));
  for (const [, table = "", name = ""] of text.matchAll(/\b(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)(?:\s+AS)?\s+(\w+)/gi)) {
    if (tables.has(table)) names.set(name, new Set([...(names.get(name) ?? []), table]));
  }
  return names;
}

/** Returns a step without the aliases and subquery names of its statement. */
function stepOf(detail: string, stored: Map<string, Set<string>>, { tableOf }: Schema): string {
  const [, verb, name = "", suffix = ""] = /^(SCAN|SEARCH|BLOOM FILTER ON) (\S+)(.*)$/.exec(detail) ?? [];
  if (verb === undefined)
    return detail.replace(/^(MATERIALIZE|CO-ROUTINE) .*$/, "$1").replace(/SUBQUERY \d+$/, "SUBQUERY");
  if (name === "CONSTANT") return detail;
  const index = /\bINDEX (\w+)/.exec(suffix)?.[1];
  const match = / VIRTUAL TABLE INDEX \d+:(M\S*)/.exec(suffix)?.[1];
  // A full-text table is searched with MATCH; `><` are bounds of its rowid.
  if (match !== undefined) return `SEARCH ${[...(stored.get(name) ?? [])].sort().join("|")} MATCH ${match}`;
  const table = / VIRTUAL TABLE INDEX \d+:$/.test(suffix)
    ? "json_each"
    : (tableOf.get(index ?? "") ?? ([...(stored.get(name) ?? [])].sort().join("|") || "subquery"));
  return `${verb} ${table}${suffix}`;
}

/**
 * Returns a statement's verb and changed table, such as `UPDATE users`, or `SELECT`. Ignores parentheses, which contain
 * subqueries.
 */
function headOf(text: string): string {
  let outer = text.replace(/'[^']*'/g, "");
  for (let before = ""; before !== outer; ) {
    before = outer;
    outer = outer.replace(/\([^()]*\)/g, "");
  }
  const change = /\b(INSERT INTO|UPDATE|DELETE FROM) (\w+)/i.exec(outer.replace(/\s+/g, " "));
  return change === null ? "SELECT" : `${change[1]?.toUpperCase()} ${change[2]}`;
}
