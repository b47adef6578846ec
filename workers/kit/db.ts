import { clock } from "./clock";

/** A value that can be bound to a statement; booleans are stored as 0 and 1. */
export type SqlValue = string | number | boolean | null;

/** A registered SQL text. */
export type Statement = { readonly text: string; bind(db: Db, ...values: SqlValue[]): D1PreparedStatement };

/** What a request has cost so far. */
export type DbStats = { roundTrips: number; rowsRead: number; rowsWritten: number; durationMs: number };

/** One request's view of a D1 database. Every call is one round trip; failures throw ConstraintError or DatabaseError. */
export type Db = {
  prepare(text: string): D1PreparedStatement;
  /** All statements in one transaction, results in the same order. */
  batch<T extends unknown[] = Record<string, unknown>[]>(
    statements: D1PreparedStatement[],
  ): Promise<{ [K in keyof T]: D1Result<T[K]> }>;
  /** The first row, or null. */
  first<T>(statement: D1PreparedStatement): Promise<T | null>;
  /** All rows. */
  all<T>(statement: D1PreparedStatement): Promise<T[]>;
  /** The whole result; `meta.changes` counts the rows changed. */
  run<T = Record<string, unknown>>(statement: D1PreparedStatement): Promise<D1Result<T>>;
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

const texts = new Set<string>();

/** Registers a statement text, so that the query plan test sees it. Call at module level. */
export function sql(text: string): Statement {
  texts.add(text);
  return { text, bind: (db, ...values) => db.prepare(text).bind(...values) };
}

/** Every statement text of the modules loaded so far. */
export function registeredStatements(): readonly string[] {
  return [...texts];
}

const TRANSIENT =
  /Network connection lost|storage caused object to be reset|Cannot resolve D1 DB|reset because its code was updated/;
const CONSTRAINT = /constraint failed|SQLITE_CONSTRAINT/i;
const MAX_TRIES = 5;
const FIRST_WAIT_MS = 50;
const MAX_WAIT_MS = 2000;

/**
 * Opens a session whose first query reads the primary. A transient failure is tried again, after 50 ms doubling to 2 s,
 * 5 times in all: every write is conditional or keyed by a chosen id, so a repeat adds nothing (design 4.2).
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

  function count<T>(result: D1Result<T>): D1Result<T> {
    stats.rowsRead += result.meta.rows_read;
    stats.rowsWritten += result.meta.rows_written;
    return result;
  }

  async function run<T>(statement: D1PreparedStatement): Promise<D1Result<T>> {
    return count(await attempt(() => statement.all<T>()));
  }

  return {
    prepare: (text) => session.prepare(text),
    batch: async <T extends unknown[]>(statements: D1PreparedStatement[]) => {
      const results = await attempt(() => session.batch(statements));
      for (const result of results) count(result);
      return results as { [K in keyof T]: D1Result<T[K]> };
    },
    // D1's own first() hides the row counts.
    first: async <T>(statement: D1PreparedStatement) => (await run<T>(statement)).results[0] ?? null,
    all: async <T>(statement: D1PreparedStatement) => (await run<T>(statement)).results,
    run,
    stats,
  };
}

function toDatabaseError(cause: unknown): DatabaseError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return CONSTRAINT.test(message) ? new ConstraintError(message, { cause }) : new DatabaseError(message, { cause });
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
