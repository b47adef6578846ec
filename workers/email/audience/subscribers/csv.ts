import { parse } from "csv-parse/browser/esm/sync";
import { IMPORT_LIMITS, MAX_FIRST_NAME } from "../../../../schemas/email/audience/subscribers";
import { isLine } from "../../../../schemas/text/text";
import { utf8ToBytes } from "../../../kit/crypto/encoding";
import { invalid } from "../../../kit/problem";
import { Problem } from "../../problem";
import { readAddress } from "../../records/seal/address";

/** A person in an imported file. `language` is the text of the cell. */
export type ImportedPerson = { email: string; firstName: string; language: string };

const COLUMNS = ["email", "first_name", "language"] as const;
type Column = (typeof COLUMNS)[number];

/** A cell longer than this cannot belong to a usable row, so the parser need not keep its text. */
const MAX_CELL = 10_000;

/**
 * Returns the people of a CSV file (RFC 4180), and the number of rows without a usable address or name. The first row is a header
 * when it has no `@`. Without a header, the columns are email, first_name, language. Throws 400 `import_too_large`,
 * `csv: [email_column_missing]`, or `csv: [invalid]` for text that is no CSV.
 */
export function readImport(csv: string): { people: ImportedPerson[]; invalid: number } {
  if (csv.length > IMPORT_LIMITS.bytes || utf8ToBytes(csv).length > IMPORT_LIMITS.bytes) throw tooLarge("bytes");
  const rows = parseRows(csv);
  const [first = []] = rows;
  const hasHeader = first.length > 0 && !first.some((cell) => cell.includes("@"));
  const columns = hasHeader ? first.map((cell) => cell.trim().toLowerCase()) : COLUMNS;
  const data = hasHeader ? rows.slice(1) : rows;
  if (hasHeader && !columns.includes("email")) throw invalid({ csv: ["email_column_missing"] });
  if (data.length > IMPORT_LIMITS.rows) throw tooLarge("rows");
  const people = data.flatMap((row) => readPerson((column) => row[columns.indexOf(column)]?.trim() ?? "") ?? []);
  return { people, invalid: data.length - people.length };
}

function parseRows(csv: string): string[][] {
  try {
    const options = { bom: true, relax_column_count: true, relax_quotes: true, max_record_size: MAX_CELL * 10 };
    return parse(csv, {
      ...options,
      skip_empty_lines: true,
      // Blank lines must not count towards `to`.
      skip_records_with_empty_values: true,
      record_delimiter: ["\r\n", "\n", "\r"],
      to: IMPORT_LIMITS.rows + 2,
    });
  } catch {
    // The message of the parser may contain an address.
    throw invalid({ csv: ["invalid"] });
  }
}

function readPerson(cell: (column: Column) => string): ImportedPerson | null {
  const email = readAddress(cell("email"));
  const firstName = cell("first_name");
  const isUsable = email !== null && firstName.length <= MAX_FIRST_NAME && isLine(firstName);
  return isUsable ? { email, firstName, language: cell("language").toLowerCase() } : null;
}

function tooLarge(limit: keyof typeof IMPORT_LIMITS): Problem {
  return new Problem("import_too_large", { extra: { limit: IMPORT_LIMITS[limit] } });
}
