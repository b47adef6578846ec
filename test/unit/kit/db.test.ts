import { eq } from "drizzle-orm";
import { integer, sqliteTable } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { ConstraintError, DatabaseError, openDb } from "../../../workers/kit/db/db";
import { queryBuilder } from "../../../workers/kit/db/query";
import { registeredStatements, statement } from "../../../workers/kit/db/statement";

const things = sqliteTable("things", { id: integer() });
const meta = { rows_read: 3, rows_written: 2, changes: 1 };

/** Returns a D1 database whose calls fail with `failures` in order, and then return one row. */
function d1Of(failures: string[]) {
  const waits: number[] = [];
  const boundValues: unknown[] = [];
  const respond = async () => {
    const failure = failures.shift();
    if (failure !== undefined) throw new Error(failure);
    return { success: true, results: [{ id: 1 }], meta };
  };
  const prepare = (text: string) => ({
    bind: (...values: unknown[]) => {
      boundValues.push([text, ...values]);
      return { all: respond };
    },
  });
  const session = { prepare, batch: async (list: unknown[]) => Promise.all(list.map(respond)) };
  const constraints: string[] = [];
  const withSession = (constraint: string) => {
    constraints.push(constraint);
    return session;
  };
  const db = openDb({ withSession } as unknown as D1Database, async (ms) => {
    waits.push(ms);
  });
  return { db, waits, boundValues, constraints };
}

const find = () =>
  statement({ id: things.id }, (p) => queryBuilder.select({ id: things.id }).from(things).where(eq(things.id, p.id)));
const select = find();

test("registers each statement text once, and runs it in a session that reads the primary first", async () => {
  find();
  expect(registeredStatements().filter((text) => text.includes('from "things"'))).toEqual([select.text]);
  const { db, boundValues, constraints } = d1Of([]);
  expect(await db.first(select({ id: 5 }))).toEqual({ id: 1 });
  expect(await db.all(select({ id: 6 }))).toEqual([{ id: 1 }]);
  expect(await db.run(select({ id: null }))).toMatchObject({ rows: [{ id: 1 }], changes: meta.changes });
  expect(boundValues).toEqual([5, 6, null].map((value) => [select.text, value]));
  expect(constraints).toEqual(["first-primary"]);
});

test("counts round trips and rows, where a batch is one round trip", async () => {
  const { db } = d1Of([]);
  await db.first(select({ id: 1 }));
  const { first, second } = await db.batch({ first: select({ id: 1 }), second: select({ id: 2 }) });
  expect([first.first?.id, second.rows.length]).toEqual([1, 1]);
  expect(db.stats).toMatchObject({ roundTrips: 2, rowsRead: 9, rowsWritten: 6 });
});

test("retries a transient database failure with doubling waits", async () => {
  const { db, waits } = d1Of([
    "D1_ERROR: Network connection lost.",
    "Internal error in D1 DB storage caused object to be reset.",
    "Cannot resolve D1 DB due to transient issue on remote node.",
  ]);
  expect(await db.first(select({ id: 1 }))).toEqual({ id: 1 });
  expect(waits).toEqual([50, 100, 200]);
  expect(db.stats.roundTrips).toBe(4);
});

test("fails a database call after five attempts", async () => {
  const { db, waits } = d1Of(Array(9).fill("Network connection lost."));
  await expect(db.first(select({ id: 1 }))).rejects.toThrow(DatabaseError);
  expect(waits).toEqual([50, 100, 200, 400]);
});

test("distinguishes a violated constraint from other failures, and retries neither", async () => {
  const { db, waits } = d1Of([
    "D1_ERROR: UNIQUE constraint failed: users.email: SQLITE_CONSTRAINT",
    "D1_ERROR: no such column: unique_id: SQLITE_ERROR",
  ]);
  await expect(db.run(select({ id: 1 }))).rejects.toThrow(ConstraintError);
  const other = await db.run(select({ id: 1 })).catch((error: unknown) => error);
  expect(other).toBeInstanceOf(DatabaseError);
  expect(other).not.toBeInstanceOf(ConstraintError);
  expect(waits).toEqual([]);
});
