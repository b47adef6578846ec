import { detectFormat, formats, isFirebaseLine } from "../formats/catalog.ts";
import type { Format, Source } from "../formats/format.ts";
import { type CsvRecord, detectSeparator, readCsv, readSeparatorLine } from "./csv.ts";
import { looksLikeJson, readJsonRecords } from "./json.ts";
import { InputError, readText } from "./text.ts";

/**
 * A person in a file. `cells` are the cells of a CSV line, else null. `hasOtherColumns` is true when their number differs from
 * that of the columns.
 */
export type PersonRecord = { line: number; source: Source; cells: string[] | null; hasOtherColumns: boolean };

/** A file of people. `header` is the header line of a CSV file, else null. */
export type PeopleFile = {
  format: Format;
  header: { cells: string[]; separator: string } | null;
  records: AsyncIterable<PersonRecord>;
};

const HEAD_CHARACTERS = 4096;

/**
 * Opens a file of people. `formatName` is a name of `formats`, or `auto`, which detects the format by the first person. Throws an
 * InputError for a file that cannot be read or whose format is unknown.
 */
export async function openPeople(path: string, formatName: string): Promise<PeopleFile> {
  const text = readText(path);
  const head = await readHead(text);
  if (head.trim() === "") throw new InputError(`${path} is empty.`);
  const chosen = formatName === "auto" ? undefined : formats[formatName];
  return looksLikeJson(head) ? openJson(path, prepend(head, text), chosen) : openCsv(path, head, text, chosen);
}

async function readHead(text: AsyncGenerator<string>): Promise<string> {
  let head = "";
  while (head.length < HEAD_CHARACTERS) {
    const { done, value } = await text.next();
    if (done) break;
    head += value;
  }
  return head;
}

async function* prepend<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

async function openJson(path: string, text: AsyncIterable<string>, chosen: Format | undefined): Promise<PeopleFile> {
  const records = readJsonRecords(path, text);
  const { done, value: first } = await records.next();
  if (done) throw noPeople(path);
  const format = chosen ?? detectFormat(Object.keys(first.value));
  if (format === undefined) throw unknownFormat(path, Object.keys(first.value));
  const toRecord = ({ line, value }: typeof first): PersonRecord => ({
    line,
    source: value,
    cells: null,
    hasOtherColumns: false,
  });
  return { format, header: null, records: map(prepend(first, records), toRecord) };
}

async function openCsv(
  path: string,
  start: string,
  rest: AsyncIterable<string>,
  chosen: Format | undefined,
): Promise<PeopleFile> {
  const separatorLine = readSeparatorLine(start);
  const head = start.slice(separatorLine?.length ?? 0);
  const firstLine = head.split(/\r\n|\r|\n/).find((line) => line.trim() !== "") ?? "";
  const separator = separatorLine?.separator ?? detectSeparator(firstLine);
  const isFirebase = chosen === formats.firebase || (chosen === undefined && isFirebaseLine(firstLine.split(",")));
  const lines = readCsv(path, prepend(head, rest), {
    separator,
    hasLooseQuotes: isFirebase,
    firstLine: separatorLine === null ? 1 : 2,
  });
  const format = isFirebase ? formats.firebase : chosen;
  const columns = format?.columns;
  if (format !== undefined && columns !== undefined) {
    const people = await requirePeople(path, lines);
    return { format, header: null, records: map(people, (line) => toPerson(line, columns, true)) };
  }
  const { done, value: header } = await lines.next();
  if (done) throw noPeople(path);
  const titles = header.cells.map((cell) => cell.trim());
  const detected = format ?? detectFormat(titles);
  if (detected === undefined) throw unknownFormat(path, titles);
  const people = await requirePeople(path, lines);
  return {
    format: detected,
    header: { cells: header.cells, separator },
    records: map(people, (line) => toPerson(line, titles, false)),
  };
}

async function requirePeople(path: string, lines: AsyncGenerator<CsvRecord>): Promise<AsyncGenerator<CsvRecord>> {
  const { done, value: first } = await lines.next();
  if (done) throw noPeople(path);
  return prepend(first, lines);
}

function toPerson({ line, cells }: CsvRecord, columns: readonly string[], canDiffer: boolean): PersonRecord {
  const source = Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? ""]));
  return { line, source, cells, hasOtherColumns: !canDiffer && cells.length !== columns.length };
}

async function* map<T, R>(items: AsyncIterable<T>, convert: (item: T) => R): AsyncGenerator<R> {
  for await (const item of items) yield convert(item);
}

const noPeople = (path: string) => new InputError(`${path} contains no people.`);

const unknownFormat = (path: string, keys: readonly string[]) =>
  new InputError(
    `The format of ${path} is unknown. It begins with the fields ${keys.slice(0, 8).join(", ")}. Choose it with --format, or name the column of the addresses "email".`,
  );
