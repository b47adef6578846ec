import { clock } from "../clock";
import type { Bound, StoredRow } from "./statement";

/** What a request has cost so far. */
type DbStats = { roundTrips: number; rowsRead: number; rowsWritten: number; durationMs: number };

/** What a statement came to: its rows, the first of them or null, and how many rows it changed. */
export type Result<Row> = { rows: Row[]; first: Row | null; changes: number };

/** What a batch may hold under a name: a statement, several of one kind, or nothing this time. */
export type BatchItem = Bound<unknown> | readonly Bound<unknown>[] | null;

/** The results of a batch, under the names of its statements. */
export type BatchResults<T extends Record<string, BatchItem>> = {
  [K in keyof T]: T[K] extends infer I
    ? I extends Bound<infer Row>
      ? Result<Row>
      : I extends readonly Bound<infer Row>[]
        ? Result<Row>[]
        : null
    : never;
};

/** A statement of a text that is not built by Drizzle yet, or one that is; goes with the last SQL text. */
export type AnyBound = D1PreparedStatement | Bound<unknown>;

// What is not converted yet; goes with the last SQL text. Until then either kind of statement may stand in either kind of
// batch.
type Legacy = {
  prepare(text: string): D1PreparedStatement;
  batch<T extends unknown[] = Record<string, unknown>[]>(
    statements: AnyBound[],
  ): Promise<{ [K in keyof T]: D1Result<T[K]> }>;
  first<T>(statement: D1PreparedStatement): Promise<T | null>;
  all<T>(statement: D1PreparedStatement): Promise<T[]>;
  run<T = Record<string, unknown>>(statement: D1PreparedStatement): Promise<D1Result<T>>;
};

/** One request's view of a D1 database. Every call is one round trip; failures throw ConstraintError or DatabaseError. */
export type Db = Legacy & {
  /** All statements in one transaction, in the order of the keys; an empty batch is no round trip. */
  batch<T extends Record<string, BatchItem>>(statements: T): Promise<BatchResults<T>>;
  /** The first row, or null. */
  first<Row>(statement: Bound<Row>): Promise<Row | null>;
  /** All rows. */
  all<Row>(statement: Bound<Row>): Promise<Row[]>;
  /** The whole result. */
  run<Row>(statement: Bound<Row>): Promise<Result<Row>>;
  readonly stats: DbStats;
};

/** The database cannot be used or refused the statement; callers answer 503 `service_unavailable`. */
export class DatabaseError extends Error {
  override readonly name: string = "DatabaseError";
}

/** A unique, check, not-null or foreign key constraint refused the write; callers handle it as a lost race. */
export class ConstraintError extends DatabaseError {
  override readonly name = "ConstraintError";
}

const TRANSIENT =
  /Network connection lost|storage caused object to be reset|Cannot resolve D1 DB|reset because its code was updated/;
const CONSTRAINT = /constraint failed|SQLITE_CONSTRAINT/i;
const MAX_TRIES = 5;
const FIRST_WAIT_MS = 50;
const MAX_WAIT_MS = 2000;

/**
 * Opens a session whose first query reads the primary. A transient failure is tried again, after 50 ms doubling to 2 s,
 * 5 times in all: every write is conditional or keyed by a chosen id, so a repeat adds nothing.
 */
export function openDb(d1: D1Database, wait: (ms: number) => Promise<void> = sleep): Db {
  const session = d1.withSession("first-primary");
  const stats: DbStats = { roundTrips: 0, rowsRead: 0, rowsWritten: 0, durationMs: 0 };

  async function attempt<R>(call: () => Promise<R>): Promise<R> {
    for (let tries = 1; ; tries++) {
      const startedAt = clock.now();
      try {
        return await call();
      } catch (cause) {
        if (tries === MAX_TRIES || !TRANSIENT.test(String(cause))) throw toDatabaseError(cause);
      } finally {
        stats.roundTrips += 1;
        stats.durationMs += clock.now() - startedAt;
      }
      await wait(Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), MAX_WAIT_MS));
    }
  }

  const isBound = (statement: object): statement is Bound<unknown> => "parts" in statement;
  const prepare = (statement: AnyBound): D1PreparedStatement[] =>
    isBound(statement)
      ? statement.parts.flatMap((part) =>
          "text" in part ? session.prepare(part.text).bind(...part.values) : prepare(part as D1PreparedStatement),
        )
      : [statement];
  const read = (statement: AnyBound, row: StoredRow): unknown => (isBound(statement) ? statement.read(row) : row);

  /** Runs statements in order, as one round trip; each answers the result of its first text. */
  async function execute(statements: readonly AnyBound[]): Promise<(Result<unknown> & { answer: D1Result })[]> {
    const groups = statements.map(prepare);
    const prepared = groups.flat();
    const [only] = prepared;
    if (only === undefined) return [];
    // A single statement needs no transaction around it.
    const call = () =>
      prepared.length === 1 ? only.all<StoredRow>().then((one) => [one]) : session.batch<StoredRow>(prepared);
    const answers = await attempt(call);
    for (const { meta } of answers) {
      stats.rowsRead += meta.rows_read;
      stats.rowsWritten += meta.rows_written;
    }
    let at = 0;
    return statements.map((statement, place) => {
      const answer = answers[at];
      at += groups[place]?.length ?? 0;
      if (answer === undefined) throw new DatabaseError("D1 answered fewer results than statements");
      const rows = answer.results.map((row) => read(statement, row));
      return { rows, first: rows[0] ?? null, changes: answer.meta.changes, answer };
    });
  }

  async function run<Row>(statement: Bound<Row>): Promise<Result<Row>> {
    const [result] = await execute([statement]);
    return result as unknown as Result<Row>;
  }

  const count = <T>(result: D1Result<T>): D1Result<T> => {
    stats.rowsRead += result.meta.rows_read;
    stats.rowsWritten += result.meta.rows_written;
    return result;
  };
  const legacyRun = async (statement: D1PreparedStatement) => count(await attempt(() => statement.all()));

  const current = {
    batch: async <T extends Record<string, BatchItem>>(statements: T) => {
      const items = Object.values(statements);
      const results = await execute(items.flatMap(listOf));
      let at = 0;
      const take = (item: BatchItem) => {
        const own = results.slice(at, at + listOf(item).length);
        at += own.length;
        return item === null || Array.isArray(item) ? item && own : own[0];
      };
      return Object.fromEntries(Object.entries(statements).map(([key, item]) => [key, take(item)])) as BatchResults<T>;
    },
    first: async <Row>(statement: Bound<Row>) => (await run(statement)).first,
    all: async <Row>(statement: Bound<Row>) => (await run(statement)).rows,
    run,
    stats,
  };
  return {
    stats,
    prepare: (text: string) => session.prepare(text),
    batch: async (statements: AnyBound[] | Record<string, BatchItem>) => {
      if (!Array.isArray(statements)) return current.batch(statements);
      return (await execute(statements)).map(({ answer, rows }) => ({ ...answer, results: rows }));
    },
    first: async (statement: D1PreparedStatement | Bound<unknown>) =>
      isBound(statement) ? current.first(statement) : ((await legacyRun(statement)).results[0] ?? null),
    all: async (statement: D1PreparedStatement | Bound<unknown>) =>
      isBound(statement) ? current.all(statement) : (await legacyRun(statement)).results,
    run: async (statement: D1PreparedStatement | Bound<unknown>) => {
      if (!isBound(statement)) return legacyRun(statement);
      const [result] = await execute([statement]);
      return { ...result?.answer, ...result, results: result?.rows };
    },
  } as unknown as Db;
}

function listOf(item: BatchItem): readonly Bound<unknown>[] {
  if (item === null) return [];
  return Array.isArray(item) ? item : [item as Bound<unknown>];
}

function toDatabaseError(cause: unknown): DatabaseError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return CONSTRAINT.test(message) ? new ConstraintError(message, { cause }) : new DatabaseError(message, { cause });
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
