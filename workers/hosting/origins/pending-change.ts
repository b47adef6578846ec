import type { Db } from "../../kit/db/db";
import type { Bound } from "../../kit/db/statement";
import { errorName } from "../../kit/log";
import { HOUR_MS, SECOND_MS } from "../../kit/time";
import { withTimeout } from "../../kit/timeout";
import type { HostingServices } from "../services";

/** The wait after the first failed call. It doubles after each further one, up to the longest wait. */
const FIRST_WAIT_MS = 30 * SECOND_MS;
const MAX_WAIT_MS = 6 * HOUR_MS;

/** The time that the other service has for one call. */
const CALL_TIMEOUT_MS = 10 * SECOND_MS;

/** Maximum number of changes that one call of sendDueChanges sends at the same time. A Worker has six open connections. */
const PARALLEL_CALLS = 4;

/** A change may be replaced while it is sent. After this many repetitions the minute sweep continues. */
const MAX_REPETITIONS = 3;

type LeasedRow = { change_id: string; attempts: number; lease_until: number };

/** Changes of one table and the call that sends them. */
export type PendingChanges<Key extends object, Row extends Key & LeasedRow> = {
  /** what is sent, for the log */
  name: string;
  statements: {
    findDue: (values: { now: number; limit: number }) => Bound<Key>;
    claim: (values: { keys: readonly Key[]; now: number }) => Bound<Row>;
    confirm: (values: { sent: readonly (Key & { change_id: string })[] }) => Bound;
    release: (values: {
      sent: readonly (Key & { change_id: string; lease_until: number; due_at: number })[];
      now: number;
    }) => Bound<Row>;
  };
  /** Sends the change. Throws, or returns a reason, when the other service has not accepted it. */
  send: (services: HostingServices, db: Db, row: Row) => Promise<null | string>;
};

/**
 * Sends the changes of these keys, unless another call is sending them, and stores which of them were confirmed. A change that
 * fails is sent again later, after a wait that doubles up to six hours.
 */
export async function sendChanges<Key extends object, Row extends Key & LeasedRow>(
  services: HostingServices,
  db: Db,
  { name, statements, send }: PendingChanges<Key, Row>,
  keys: readonly Key[],
): Promise<void> {
  const { clock, log } = services;
  let waiting = keys;
  for (let round = 0; round < MAX_REPETITIONS && waiting.length > 0; round++) {
    const rows = await db.all(statements.claim({ keys: waiting, now: clock.now() }));
    const confirmed = new Set<string>();
    for (let start = 0; start < rows.length; start += PARALLEL_CALLS) {
      await Promise.all(
        rows.slice(start, start + PARALLEL_CALLS).map(async (row) => {
          const reason = await withTimeout(send(services, db, row), CALL_TIMEOUT_MS).catch(errorName);
          if (reason === null) confirmed.add(row.change_id);
          else log.warn("change was not accepted", { change: name, attempt: row.attempts, reason });
        }),
      );
    }
    if (rows.length === 0) return;
    const now = clock.now();
    const { released } = await db.batch({
      confirmed: statements.confirm({ sent: rows.filter(({ change_id }) => confirmed.has(change_id)) }),
      released: statements.release({
        sent: rows.map((row) => ({ ...row, due_at: now + waitAfter(row.attempts) })),
        now,
      }),
    });
    const sent = new Set(rows.map(({ change_id }) => change_id));
    waiting = released.rows.filter(({ change_id }) => !sent.has(change_id));
  }
}

/** Sends up to `limit` changes that are due, the oldest first. Returns the number of changes that were due. */
export async function sendDueChanges<Key extends object, Row extends Key & LeasedRow>(
  services: HostingServices,
  changes: PendingChanges<Key, Row>,
  limit: number,
): Promise<number> {
  const { platformDb, clock } = services;
  const due = await platformDb.all(changes.statements.findDue({ now: clock.now(), limit }));
  if (due.length > 0) await sendChanges(services, platformDb, changes, due);
  return due.length;
}

function waitAfter(attempts: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), MAX_WAIT_MS);
}
