import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { ConstraintError, DatabaseError, openDb } from "../../../workers/kit/db/db";
import { integer, nullable, text } from "../../../workers/kit/db/kind";
import { rows } from "../../../workers/kit/db/query";
import { registeredStatements, statement } from "../../../workers/kit/db/statement";

const meta = { rows_read: 3, rows_written: 2, changes: 4 };

/** A D1 whose calls fail with `failures` one after the other and then answer one row. */
function d1Of(failures: string[]) {
  const waits: number[] = [];
  const bound: unknown[] = [];
  const answer = async () => {
    const failure = failures.shift();
    if (failure !== undefined) throw new Error(failure);
    return { success: true, results: [{ id: 1 }], meta };
  };
  const statement = (text: string) => ({
    bind: (...values: unknown[]) => {
      bound.push([text, ...values]);
      return { all: answer };
    },
  });
  const session = { prepare: statement, batch: async (list: unknown[]) => Promise.all(list.map(answer)) };
  const constraints: string[] = [];
  const withSession = (constraint: string) => {
    constraints.push(constraint);
    return session;
  };
  const db = openDb({ withSession } as unknown as D1Database, async (ms) => {
    waits.push(ms);
  });
  return { db, waits, bound, constraints };
}

const build = (p: { id: unknown }) =>
  rows({ id: sql`id`.mapWith(integer) }, (columns) => sql`select ${columns} from things where id = ${p.id}`);
const select = statement({ id: nullable(integer) }, build);
const selectByText = statement({ id: text }, build);

test("registers each statement text once and binds it to a session that reads the primary first", async () => {
  expect(registeredStatements().filter((text) => text.includes("from things"))).toEqual([select.text]);
  const { db, bound, constraints } = d1Of([]);
  expect(await db.first(select({ id: 5 }))).toEqual({ id: 1 });
  expect(await db.all(selectByText({ id: "a" }))).toEqual([{ id: 1 }]);
  expect(await db.run(select({ id: null }))).toEqual({ rows: [{ id: 1 }], first: { id: 1 }, changes: 4 });
  expect(bound).toEqual([5, "a", null].map((value) => [select.text, value]));
  expect(constraints).toEqual(["first-primary"]);
});

test("counts round trips and rows, a batch as one round trip", async () => {
  const { db } = d1Of([]);
  await db.first(select({ id: 1 }));
  const { first, second } = await db.batch({ first: select({ id: 1 }), second: select({ id: 2 }) });
  expect([first.first?.id, second.rows.length]).toEqual([1, 1]);
  expect(db.stats).toMatchObject({ roundTrips: 2, rowsRead: 9, rowsWritten: 6 });
});

test("tries a transient failure again with doubling waits", async () => {
  const { db, waits } = d1Of([
    "D1_ERROR: Network connection lost.",
    "Internal error in D1 DB storage caused object to be reset.",
    "Cannot resolve D1 DB due to transient issue on remote node.",
  ]);
  expect(await db.first(select({ id: 1 }))).toEqual({ id: 1 });
  expect(waits).toEqual([50, 100, 200]);
  expect(db.stats.roundTrips).toBe(4);
});

test("gives up after five tries", async () => {
  const { db, waits } = d1Of(Array(9).fill("Network connection lost."));
  await expect(db.first(select({ id: 1 }))).rejects.toThrow(DatabaseError);
  expect(waits).toEqual([50, 100, 200, 400]);
});

test("tells a constraint from any other failure and tries neither again", async () => {
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
