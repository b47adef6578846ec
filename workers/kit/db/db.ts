import { clock } from "../clock";
import type { Bound, StoredRow } from "./statement";

/** The database cost of a request so far. */
type DbStats = { roundTrips: number; rowsRead: number; rowsWritten: number; durationMs: number };

/** The result of a statement: its rows, the first row or null, and the number of changed rows. */
export type Result<Row> = { rows: Row[]; first: Row | null; changes: number };

/** A member of a batch: a statement, a list of statements with one row type, or null for none. */
export type BatchItem = Bound<unknown> | readonly Bound<unknown>[] | null;

/** The results of a batch, keyed by the names of its statements. */
export type BatchResults<T extends Record<string, BatchItem>> = {
  [K in keyof T]: T[K] extends infer I
    ? I extends Bound<infer Row>
      ? Result<Row>
      : I extends readonly Bound<infer Row>[]
        ? Result<Row>[]
        : null
    : never;
};

/**
 * One request's session with a D1 database. Every call is one round trip; failures throw ConstraintError or
 * DatabaseError.
 */
export type Db = {
  /** Runs all statements in one transaction, in the order of the keys. An empty batch makes no round trip. */
  batch<T extends Record<string, BatchItem>>(statements: T): Promise<BatchResults<T>>;
  /** Returns the first row, or null. */
  first<Row>(statement: Bound<Row>): Promise<Row | null>;
  /** Returns all rows. */
  all<Row>(statement: Bound<Row>): Promise<Row[]>;
  /** Returns rows and the number of changes. */
  run<Row>(statement: Bound<Row>): Promise<Result<Row>>;
  /** Returns the position of the session, including its own writes; null before its first call. */
  bookmark(): D1SessionBookmark | null;
  /** Opens another session that adds to the same statistics. `first-unconstrained` reads from any replica. */
  from(start: D1SessionConstraint | D1SessionBookmark): Db;
  readonly stats: DbStats;
};

/** The databases of a service; see `docs/decisions/one-database-per-service.md`. */
export type Databases = {
  /** for rows that belong to no company or to several, and for lookups by id or token before the company is known */
  platformDb: Db;
  /** for all reads and writes of one company */
  dbOf: (companyId: number) => Db;
};

/** Returns the databases of a service that stores all companies in one database. */
export const oneDatabase = (db: Db): Databases => ({ platformDb: db, dbOf: () => db });

/** Returns the database of the company in scope, or the platform database when the scope is null. */
export const dbOfScope = ({ platformDb, dbOf }: Databases, scope: number | null): Db =>
  scope === null ? platformDb : dbOf(scope);

/** The database is unavailable or rejected the statement; callers respond 503 `service_unavailable`. */
export class DatabaseError extends Error {
  override readonly name: string = "DatabaseError";
}

/** A unique, check, not-null or foreign key constraint rejected the write; callers treat it as a lost race. */
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
 * Opens a session whose first query reads the primary. A call makes up to 5 attempts when failures are transient. The
 * delay between them starts at 50 ms and doubles up to 2 s. Retries are safe because every write is conditional or
 * keyed by an id that the caller chose.
 */
export function openDb(d1: D1Database, wait: (ms: number) => Promise<void> = sleep): Db {
  const stats: DbStats = { roundTrips: 0, rowsRead: 0, rowsWritten: 0, durationMs: 0 };
  return openSession(d1, "first-primary", { stats, wait });
}

function openSession(
  d1: D1Database,
  start: D1SessionConstraint | D1SessionBookmark,
  shared: { stats: DbStats; wait: (ms: number) => Promise<void> },
): Db {
  const session = d1.withSession(start);
  const { stats, wait } = shared;

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

  /**
   * Runs statements in order in one round trip. A statement may consist of several SQL texts (see `followedBy`); its result
   * is the result of the first one.
   */
  async function execute(statements: readonly Bound<unknown>[]): Promise<Result<unknown>[]> {
    const prepared = statements.flatMap(({ parts }) =>
      parts.map(({ text, values }) => session.prepare(text).bind(...values)),
    );
    const [single] = prepared;
    if (single === undefined) return [];
    // A single statement needs no transaction.
    const call = () =>
      prepared.length === 1 ? single.all<StoredRow>().then((result) => [result]) : session.batch<StoredRow>(prepared);
    const d1Results = await attempt(call);
    for (const { meta } of d1Results) {
      stats.rowsRead += meta.rows_read;
      stats.rowsWritten += meta.rows_written;
    }
    let next = 0;
    return statements.map(({ parts, read }) => {
      const d1Result = d1Results[next];
      next += parts.length;
      if (d1Result === undefined) throw new DatabaseError("D1 returned fewer results than statements");
      const rows = d1Result.results.map(read);
      return { rows, first: rows[0] ?? null, changes: d1Result.meta.changes };
    });
  }

  async function run<Row>(statement: Bound<Row>): Promise<Result<Row>> {
    const [result] = await execute([statement]);
    return result as Result<Row>;
  }

  async function batch<T extends Record<string, BatchItem>>(statements: T): Promise<BatchResults<T>> {
    const items = Object.values(statements);
    const results = await execute(items.flatMap(listOf));
    let next = 0;
    const resultOf = (item: BatchItem) => {
      const itemResults = results.slice(next, next + listOf(item).length);
      next += itemResults.length;
      return item === null || Array.isArray(item) ? item && itemResults : itemResults[0];
    };
    return Object.fromEntries(
      Object.entries(statements).map(([key, item]) => [key, resultOf(item)]),
    ) as BatchResults<T>;
  }

  return {
    batch,
    first: async (statement) => (await run(statement)).first,
    all: async (statement) => (await run(statement)).rows,
    run,
    bookmark: () => session.getBookmark(),
    from: (start) => openSession(d1, start, shared),
    stats,
  };
}

function listOf(item: BatchItem): readonly Bound<unknown>[] {
  if (item === null) return [];
  return "parts" in item ? [item] : item;
}

function toDatabaseError(cause: unknown): DatabaseError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return CONSTRAINT.test(message) ? new ConstraintError(message, { cause }) : new DatabaseError(message, { cause });
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
