import type { Databases } from "../db/db";
import { CommandRefusal } from "../management/stream";
import {
  addSequence,
  clearTable,
  createMarker,
  dropMarker,
  findMarker,
  findRestore,
  hasRows,
  insertRows,
  noteRestore,
  type StoredTable,
  setSequence,
} from "./tables.store";

/** Maximum bytes of the rows that one statement inserts. D1 accepts values of up to 2 MB. */
const STATEMENT_BYTES = 1_000_000;

/**
 * Returns whether this backup is already being restored. Throws a CommandRefusal when its restore must not begin: somebody has worked
 * with the service, or the restore of another backup has begun.
 */
export async function checkRestore(
  { platformDb }: Databases,
  backup: string,
  unused: readonly string[],
): Promise<boolean> {
  const current = await currentRestore({ platformDb });
  if (current === backup) return true;
  if (current !== null) throw new CommandRefusal(`The restore of the backup ${current} has begun and has not ended.`);
  const checks = await platformDb.batch(Object.fromEntries(unused.map((name) => [name, hasRows(name)])));
  const used = unused.filter((name) => checks[name]?.first?.found === true);
  if (used.length > 0) throw new CommandRefusal(`The service is not empty: ${used.join(", ")}.`);
  return false;
}

/** Prepares a database for the rows of a backup: deletes the rows that its set-up created, and notes the backup. */
export async function beginRestore(
  { platformDb }: Databases,
  backup: string,
  tables: readonly StoredTable[],
): Promise<void> {
  await platformDb.batch({
    marker: createMarker(),
    note: noteRestore({ backup }),
    cleared: tables.toReversed().map(clearTable),
  });
}

/** Deletes what triggers stored in a table, before its rows are written. */
export async function clearRows({ platformDb }: Databases, backup: string, table: StoredTable): Promise<void> {
  await requireRestore({ platformDb }, backup);
  await platformDb.run(clearTable(table));
}

/** Inserts rows of a table in one batch. Rows whose key exists stay as they are. Returns the number of new rows. */
export async function writeRows(
  { platformDb }: Databases,
  backup: string,
  table: StoredTable,
  rows: readonly string[],
): Promise<number> {
  await requireRestore({ platformDb }, backup);
  const { written } = await platformDb.batch({
    written: inStatements(rows).map((part) => insertRows(table, part)),
  });
  return written.reduce((sum, { changes }) => sum + changes, 0);
}

/** Ends a restore: no id of a deleted row is used again. */
export async function endRestore(
  { platformDb }: Databases,
  backup: string,
  sequences: readonly { name: string; seq: number }[],
): Promise<void> {
  await requireRestore({ platformDb }, backup);
  await platformDb.batch({
    raised: sequences.map((sequence) => setSequence(sequence)),
    added: sequences.map((sequence) => addSequence(sequence)),
    ended: dropMarker(),
  });
}

async function currentRestore({ platformDb }: Pick<Databases, "platformDb">): Promise<string | null> {
  const isMarked = (await platformDb.first(findMarker()))?.found === true;
  return isMarked ? ((await platformDb.first(findRestore()))?.backup ?? null) : null;
}

async function requireRestore(databases: Pick<Databases, "platformDb">, backup: string): Promise<void> {
  if ((await currentRestore(databases)) !== backup)
    throw new CommandRefusal(`The restore of the backup ${backup} has not begun, or has ended.`);
}

/** Splits rows so that each part fits into one value. */
function inStatements(rows: readonly string[]): string[][] {
  const parts: string[][] = [];
  let bytes = STATEMENT_BYTES;
  for (const row of rows) {
    // Quoting a text in JSON doubles at most its quotes and backslashes, and non-ASCII characters have up to 3 bytes.
    const size = new TextEncoder().encode(JSON.stringify(row)).length + 1;
    if (bytes + size > STATEMENT_BYTES) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(row);
    bytes += size;
  }
  return parts;
}
