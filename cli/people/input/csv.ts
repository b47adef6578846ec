import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { InputError } from "./text.ts";

/** The cells of a line. `line` is the number of the line on which they begin. */
export type CsvRecord = { line: number; cells: string[] };

const SEPARATORS = [",", ";", "\t", "|"] as const;
const MAX_RECORD_CHARACTERS = 1_000_000;
const lineBreaks = /\r\n|\r|\n/g;

const separatorLine = /^"?sep=([^"\r\n])"?(?:\r\n|\r|\n|$)/i;

/** Returns the separator in Excel's first line, such as `sep=;`, and the length of this line. Returns null for other files. */
export function readSeparatorLine(head: string): { separator: string; length: number } | null {
  const [line, separator] = separatorLine.exec(head) ?? [];
  return line === undefined || separator === undefined ? null : { separator, length: line.length };
}

/** Returns the separator that occurs most often in the first line of a CSV file, outside of quotes. */
export function detectSeparator(firstLine: string): string {
  const plain = firstLine.replace(/"[^"]*"/g, "");
  const count = (separator: string) => plain.split(separator).length;
  return SEPARATORS.reduce((best, next) => (count(next) > count(best) ? next : best));
}

/**
 * Yields the records of a CSV file (RFC 4180), with any line break and separator. Skips blank lines. Throws an InputError for
 * quotes that do not match. `hasLooseQuotes` allows quotes inside of fields that are not quoted. `firstLine` is the number of the
 * first line of the text.
 */
export async function* readCsv(
  path: string,
  text: AsyncIterable<string>,
  { separator, hasLooseQuotes, firstLine }: { separator: string; hasLooseQuotes: boolean; firstLine: number },
): AsyncGenerator<CsvRecord> {
  const parser = parse({
    delimiter: separator,
    raw: true,
    relax_column_count: true,
    relax_quotes: hasLooseQuotes,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_CHARACTERS,
  });
  const source = Readable.from(text);
  source.once("error", (error) => parser.destroy(error));
  let nextLine = firstLine;
  try {
    for await (const { record, raw } of source.pipe(parser) as AsyncIterable<{ record: string[]; raw: string }>) {
      // `raw` begins with the blank lines that were skipped.
      const blankLines = /^[\r\n]*/.exec(raw)?.[0].match(lineBreaks)?.length ?? 0;
      yield { line: nextLine + blankLines, cells: record };
      nextLine += raw.match(lineBreaks)?.length ?? 0;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const cause = error.code.includes("QUOTE")
      ? 'a quote (") does not match. Put a field that contains quotes in quotes, and double the quotes inside it.'
      : error.message;
    throw new InputError(`${path}, line ${nextLine} or after it: ${cause}`);
  }
}

/** Returns a line of a CSV file. */
export function toCsvLine(cells: readonly string[], separator = ","): string {
  const quoted = cells.map((cell) =>
    /["\r\n]/.test(cell) || cell.includes(separator) || cell !== cell.trim() ? `"${cell.replaceAll('"', '""')}"` : cell,
  );
  return `${quoted.join(separator)}\r\n`;
}

// A spreadsheet evaluates a cell that begins with one of these characters as a formula.
const formula = /^[=+\-@\t\r]/;

/** Returns a cell that no spreadsheet evaluates. `withoutGuard` reverses this. */
export const withGuard = (cell: string): string => (formula.test(cell) ? `'${cell}` : cell);
export const withoutGuard = (cell: string): string => (/^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);
