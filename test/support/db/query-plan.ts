type Schema = { tables: ReadonlySet<string>; tableOf: ReadonlyMap<string, string> };

/** What SQLite does for a statement: a line a step, indented by what it is part of, the same for every spelling of a text. */
export type Plan = { text: string; lines: string[] };

/**
 * The plans of statements. Steps name tables instead of aliases, an inner query has no name and no number, and the first
 * line says what the statement changes. All values are bound as null: a plan does not depend on them.
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
 * Every different plan with the SQL of its statements above it, a line each, in alphabetical order of the plans with a blank
 * line between: what `plans.txt` of a service holds.
 */
export function listPlans(plans: readonly Plan[]): string {
  const texts = new Map<string, Set<string>>();
  for (const { text, lines } of plans) {
    const plan = lines.join("\n");
    texts.set(plan, (texts.get(plan) ?? new Set()).add(`-- ${withoutQuotes(text).replace(/\s+/g, " ").trim()}`));
  }
  const sorted = [...texts].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([plan, statements]) => `${[...[...statements].sort(), plan].join("\n")}\n`).join("\n");
}

/**
 * Statements that scan a stored table or one of its indexes, with the step that says so. Lists of the caller
 * (json_each), constant rows and the results of inner queries are no stored tables; a ping that reads one row of a
 * table (`SELECT column FROM table LIMIT 1`) scans no further than that row.
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

/** The stored tables that a name stands for in a text: itself, or what it is an alias of. */
function storedNames(text: string, { tables }: Schema): Map<string, Set<string>> {
  const names = new Map([...tables].map((table) => [table, new Set([table])]));
  for (const [, table = "", name = ""] of text.matchAll(/\b(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)(?:\s+AS)?\s+(\w+)/gi)) {
    if (tables.has(table)) names.set(name, new Set([...(names.get(name) ?? []), table]));
  }
  return names;
}

/** A step without names that a text may choose. */
function stepOf(detail: string, stored: Map<string, Set<string>>, { tableOf }: Schema): string {
  const [, verb, name = "", rest = ""] = /^(SCAN|SEARCH|BLOOM FILTER ON) (\S+)(.*)$/.exec(detail) ?? [];
  if (verb === undefined)
    return detail.replace(/^(MATERIALIZE|CO-ROUTINE) .*$/, "$1").replace(/SUBQUERY \d+$/, "SUBQUERY");
  if (name === "CONSTANT") return detail;
  const index = /\bINDEX (\w+)/.exec(rest)?.[1];
  const match = / VIRTUAL TABLE INDEX \d+:(M\S*)/.exec(rest)?.[1];
  // A table of the full-text search is searched when it is asked for a match; `><` are bounds of its rowid.
  if (match !== undefined) return `SEARCH ${[...(stored.get(name) ?? [])].sort().join("|")} MATCH ${match}`;
  const table = / VIRTUAL TABLE INDEX \d+:$/.test(rest)
    ? "json_each"
    : (tableOf.get(index ?? "") ?? ([...(stored.get(name) ?? [])].sort().join("|") || "subquery"));
  return `${verb} ${table}${rest}`;
}

/** What a statement does to which table; words in brackets belong to inner queries. */
function headOf(text: string): string {
  let outer = text.replace(/'[^']*'/g, "");
  for (let before = ""; before !== outer; ) {
    before = outer;
    outer = outer.replace(/\([^()]*\)/g, "");
  }
  const change = /\b(INSERT INTO|UPDATE|DELETE FROM) (\w+)/i.exec(outer.replace(/\s+/g, " "));
  return change === null ? "SELECT" : `${change[1]?.toUpperCase()} ${change[2]}`;
}
