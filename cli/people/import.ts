import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import type { ImportResult } from "../../schemas/identity/people/imports.ts";
import type { CommandSpec } from "../../schemas/management/command-spec.ts";
import { type CallEnd, callManagement } from "../management-call.ts";
import type { Target } from "../target.ts";
import { FieldError, type Row } from "./formats/format.ts";
import { openPeople, type PeopleFile, type PersonRecord } from "./input/people-file.ts";
import { InputError } from "./input/text.ts";
import { type Counts, describeIgnored, describeProblems, describeStop, type Problems } from "./messages.ts";
import { createProgress, type Progress } from "./progress.ts";
import { createRejectedFile, ERROR_COLUMN } from "./rejected.ts";

const MAX_CHUNK_BYTES = 900_000;
/** Each invitation counts against a limit of the company, which a chunk must fit into. */
const MAX_INVITATIONS = 100;
const MAX_TRIES = 6;
/** The number of rows that are reported one by one. */
const MAX_REPORTED = 50;
/** The number of ignored columns that are named. */
const MAX_IGNORED = 50;

/** Thrown to end the command with the line of a failed call. */
class CallFailure extends Error {
  override readonly name = "CallFailure";
  readonly exitCode: 1 | 2;
  constructor(line: string, exitCode: 1 | 2) {
    super(line);
    this.exitCode = exitCode;
  }
}

type Flags = Record<string, unknown>;
/** A person of the file, and the row for the service or the problems that the command line found itself. */
type Entry = { record: PersonRecord } & ({ row: Row } | { problems: Problems });

/**
 * Imports the people of a file in chunks, each of which the service stores in one batch. Reads the file once before, to refuse
 * an unreadable file before anything is imported, and to know the number of rows. Prints the rows that were not imported on
 * stderr and the result on stdout. Returns the exit code: 1 when a row was rejected or a call failed.
 */
export async function runImport(target: Target, spec: CommandSpec, flags: Flags): Promise<number> {
  try {
    return await importFile(target, spec, flags);
  } catch (error) {
    if (!(error instanceof InputError) && !(error instanceof CallFailure)) throw error;
    console.error(error.message);
    return error instanceof CallFailure ? error.exitCode : 1;
  }
}

async function importFile(target: Target, spec: CommandSpec, flags: Flags): Promise<number> {
  const path = String(flags.file);
  const formatName = String(flags.format ?? "auto");
  const { total, ignored } = await countPeople(await openPeople(path, formatName));
  const file = await openPeople(path, formatName);
  console.error(`${file.format.label}: ${total} rows`);
  if (ignored.length > 0) console.error(describeIgnored(ignored));
  if (flags.rejected !== undefined) requireOtherFile(path, String(flags.rejected));
  const rejectedFile = flags.rejected === undefined ? null : await createRejectedFile(String(flags.rejected), file);
  const counts: Counts = { created: 0, updated: 0, unchanged: 0, rejected: 0 };
  const progress = createProgress(total);
  const report = createReport(progress);
  const unsupportedCounts = new Map<string, number>();
  let read = 0;
  const sentFlags = { company: flags.company, dry_run: flags.dry_run, allow: flags.allow, invite: flags.invite };

  const recordResult = async ({ record }: Entry, { status, errors, skipped }: ImportResult) => {
    counts[status] += 1;
    if (status === "rejected") await rejectedFile?.add(record, errors ?? {});
    for (const problems of [errors, skipped]) if (problems) report.add(record.line, problems);
  };
  const max = flags.invite === true ? MAX_INVITATIONS : (spec.rows?.max ?? 1);
  try {
    for await (const entries of chunksOf(entriesOf(file, unsupportedCounts), max)) {
      const rows = entries.flatMap((entry) => ("row" in entry ? [entry.row] : []));
      const results = rows.length === 0 ? [] : await sendChunk(target, spec, sentFlags, rows, progress);
      if (results.length !== rows.length) throw new CallFailure("The service returned another number of results.", 1);
      for (const entry of entries) {
        const result: ImportResult | undefined =
          "problems" in entry ? { status: "rejected", errors: entry.problems } : results.shift();
        if (result !== undefined) await recordResult(entry, result);
      }
      read += entries.length;
      progress.add(entries.length);
    }
  } catch (error) {
    const isUsage = error instanceof CallFailure && error.exitCode === 2;
    if (error instanceof InputError || (error instanceof CallFailure && !isUsage))
      error.message += `\n${describeStop(counts, { total, isDryRun: flags.dry_run === true })}`;
    throw error;
  } finally {
    await rejectedFile?.close();
    progress.end();
    report.end(flags.rejected === undefined);
  }
  for (const [provider, number] of unsupportedCounts)
    console.error(`${number} linked accounts of ${provider} cannot be imported.`);
  if (read !== total)
    console.error(`${path} changed while it was read: it had ${total} rows, then ${read}. Import it again.`);
  const exitCode = counts.rejected > 0 || read !== total ? 1 : 0;
  printResult({ command: spec.name, isDryRun: flags.dry_run === true, exitCode }, counts, progress.rates());
  return exitCode;
}

/** Throws an InputError if the rejected rows would overwrite the file that is imported. */
function requireOtherFile(path: string, rejectedPath: string): void {
  const [imported, written] = [statSync(path), statSync(rejectedPath, { throwIfNoEntry: false })];
  if (imported.dev === written?.dev && imported.ino === written.ino)
    throw new InputError(`--rejected must name another file than --file: it would overwrite ${path}.`);
}

/** Returns the number of people, and the names of the first MAX_IGNORED columns that the import ignores. */
async function countPeople({
  format: { ignores },
  header,
  records,
}: PeopleFile): Promise<{ total: number; ignored: string[] }> {
  let total = 0;
  const ignored = new Set<string>();
  for await (const { source } of records) {
    total += 1;
    // The rows of a CSV file have the same columns, those of a JSON file may differ.
    if (ignores === undefined || (header !== null && total > 1)) continue;
    for (const key of Object.keys(source))
      if (ignored.size < MAX_IGNORED && key !== "" && key !== ERROR_COLUMN && !ignored.has(key) && ignores(key))
        ignored.add(key);
  }
  return { total, ignored: [...ignored] };
}

async function* entriesOf(
  { format, records }: PeopleFile,
  unsupportedCounts: Map<string, number>,
): AsyncGenerator<Entry> {
  const addresses = new Set<number>();
  for await (const record of records) {
    if (record.hasOtherColumns) {
      yield { record, problems: { columns: ["mismatch"] } };
      continue;
    }
    try {
      const mapped = format.map(record.source);
      const hash = hashOf(mapped.row.email);
      // Two rows with one address could overwrite each other at every import.
      if (hash !== null && addresses.has(hash)) throw new FieldError("email", "duplicate");
      if (hash !== null) addresses.add(hash);
      for (const provider of mapped.unsupportedProviders)
        unsupportedCounts.set(provider, (unsupportedCounts.get(provider) ?? 0) + 1);
      yield { record, row: mapped.row };
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      yield { record, problems: { [error.field]: [error.code] } };
    }
  }
}

/** Returns 53 bits of a hash of the address, which need less memory than the address. Returns null without an address. */
function hashOf(email: string | undefined): number | null {
  if (email === undefined) return null;
  const digest = createHash("sha256").update(email.trim().toLowerCase().normalize("NFC")).digest();
  return digest.readUIntBE(0, 6) * 32 + (digest.readUInt8(6) & 31);
}

/** Yields lists of at most `max` entries whose rows are at most MAX_CHUNK_BYTES of JSON together. */
async function* chunksOf(entries: AsyncIterable<Entry>, max: number): AsyncGenerator<Entry[]> {
  let chunk: Entry[] = [];
  let bytes = 0;
  for await (const entry of entries) {
    const size = "row" in entry ? Buffer.byteLength(JSON.stringify(entry.row)) + 1 : 0;
    if (chunk.length > 0 && (chunk.length >= max || bytes + size > MAX_CHUNK_BYTES)) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(entry);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

/** Sends a chunk. Repeats a call that failed for a while, because a repeated chunk changes nothing that is stored already. */
async function sendChunk(
  target: Target,
  spec: CommandSpec,
  flags: Flags,
  rows: Row[],
  progress: Progress,
): Promise<ImportResult[]> {
  for (let tries = 1; ; tries += 1) {
    const results: ImportResult[] = [];
    const onRows = (lines: readonly unknown[]) => void results.push(...(lines as ImportResult[]));
    const end = await callManagement(target, spec, flags, { rows, onRows });
    if (end.kind === "result") return results;
    const waitSeconds = waitOf(end, tries);
    if (waitSeconds === null) throw new CallFailure(end.line, end.kind === "usage" ? 2 : 1);
    if (waitSeconds > 5) progress.print(`Waiting ${waitSeconds} s: ${end.line}`);
    await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1000));
    // A limit ends by itself, so it does not count as a failure.
    if (end.kind === "failed" && end.retryAfterSeconds !== null) tries = 0;
  }
}

/** Returns the seconds until the next attempt, or null for none. */
function waitOf(end: Exclude<CallEnd, { kind: "result" }>, tries: number): number | null {
  if (end.kind === "usage" || !end.isTemporary) return null;
  if (end.retryAfterSeconds !== null) return end.retryAfterSeconds;
  return tries >= MAX_TRIES ? null : 2 ** (tries - 1);
}

/** Reports problems on stderr, the first MAX_REPORTED rows one by one. */
function createReport(progress: Progress) {
  let rows = 0;
  return {
    add(line: number, problems: Problems): void {
      rows += 1;
      if (rows > MAX_REPORTED) return;
      for (const text of describeProblems(problems)) progress.print(`line ${line}: ${text}`);
    },
    end(suggestsFile: boolean): void {
      if (rows <= MAX_REPORTED) return;
      const hint = suggestsFile ? " Write the rejected ones to a file with --rejected." : "";
      console.error(`… and ${rows - MAX_REPORTED} more rows.${hint}`);
    },
  };
}

type Outcome = { command: string; isDryRun: boolean; exitCode: 0 | 1 };

function printResult({ command, isDryRun, exitCode }: Outcome, counts: Counts, rates: Record<string, number>): void {
  const all = { ...counts, ...rates };
  const text = Object.entries(all).map(([name, value]) => `${name}=${value}`);
  const line = `${command}: ${isDryRun ? "would import " : ""}${text.join(" ")}`;
  const piped = JSON.stringify({ command, exit_code: exitCode, line, run_id: null, counts: all });
  console.log(process.stdout.isTTY ? line : piped);
}
