/** The maximum size of a statement in D1. */
const MAX_STATEMENT_BYTES = 100_000;

/**
 * Joins SQL statements to as few texts as D1 accepts. Wrangler's local runtime is called once for each text that is prepared, and
 * its D1 runs all statements of a text.
 */
export function joinStatements(statements: readonly string[]): string[] {
  const texts: string[] = [];
  for (const statement of statements) {
    const text = `${statement.replace(/;\s*$/, "")};\n`;
    const joined = (texts.at(-1) ?? "") + text;
    if (texts.length > 0 && Buffer.byteLength(joined) <= MAX_STATEMENT_BYTES) texts.splice(-1, 1, joined);
    else texts.push(text);
  }
  return texts;
}
