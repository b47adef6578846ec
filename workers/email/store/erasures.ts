import { type Db, sql } from "../../kit/db";
import type { Actor } from "./audit-log";

/** Messages that one step deletes (email details 8.3). */
export const ERASE_SIZE = 500;

const open = sql("INSERT INTO erasures (id, company_id, hashes, requested_at) VALUES (?1, ?2, ?3, ?4)");

// What was accepted after the request stays: the person may have come back since.
const ERASED = `FROM erasures e CROSS JOIN json_each(e.hashes) h CROSS JOIN messages m
  ON m.company_id = e.company_id AND m.email_hmac = h.value AND m.accepted_at <= e.requested_at WHERE e.id = ?1`;
const UNSENT = `${ERASED} AND m.status IN ('queued','retrying','sending')`;

const countErased = sql(`SELECT count(*) AS messages ${ERASED}`);

const noteErased = sql(
  `INSERT INTO audit_log (at, actor_kind, actor_user_id, company_id, action, target, changes)
   SELECT requested_at, ?2, ?3, company_id, 'privacy.erased', 'address',
     json_object('deleted_messages', (SELECT count(*) ${ERASED})) FROM erasures WHERE id = ?1`,
);

// Roll-ups outlive the messages, so none may be left in them as waiting for ever.
const countUnsent = sql(
  `INSERT INTO stats_days (company_id, day, lane, event_type, queued, cancelled)
   SELECT m.company_id, date(m.accepted_at / 1000, 'unixepoch'), m.lane, m.event_type, -count(*), count(*) ${UNSENT}
   GROUP BY 1, 2, 3, 4
   ON CONFLICT (company_id, day, lane, event_type) DO UPDATE
   SET queued = queued + excluded.queued, cancelled = cancelled + excluded.cancelled`,
);

// Without its lease a running attempt neither begins DATA nor stores a result.
const endUnsent = sql(
  `UPDATE messages SET status = 'cancelled', variables_enc = NULL, lease_token = NULL, locked_until = NULL
   WHERE id IN (SELECT m.id ${UNSENT})`,
);

// Events go with their message (foreign key).
const eraseSome = sql(`DELETE FROM messages WHERE id IN (SELECT m.id ${ERASED} LIMIT ${ERASE_SIZE})`);

const close = sql(`DELETE FROM erasures WHERE id = ?1 AND NOT EXISTS (SELECT 1 ${ERASED})`);

const isOpen = sql("SELECT 1 AS open FROM erasures WHERE id = ?1");

const findLate = sql("SELECT id FROM erasures WHERE requested_at <= ?1 ORDER BY requested_at LIMIT 200");

/** What an erasure found, and whether messages are left for further steps. */
export type ErasureStart = { messages: number; isMoreLeft: boolean };

/**
 * Begins an erasure in one transaction: nothing of the address is sent any more, the first messages go with their events,
 * and the row stays until the last one is gone. `hashes`: of the address by each pepper.
 */
export async function startErasure(
  db: Db,
  erasure: { id: string; companyId: number; hashes: readonly string[]; now: number },
  actor: Actor,
): Promise<ErasureStart> {
  const { id, companyId, hashes, now } = erasure;
  const [, counted, ...steps] = await db.batch<[unknown, { messages: number }, ...unknown[]]>([
    open.bind(db, id, companyId, JSON.stringify(hashes), now),
    countErased.bind(db, id),
    noteErased.bind(db, id, actor.kind, actor.userId),
    countUnsent.bind(db, id),
    endUnsent.bind(db, id),
    ...stepStatements(db, id),
  ]);
  return { messages: counted.results[0]?.messages ?? 0, isMoreLeft: (steps.at(-1)?.results.length ?? 0) > 0 };
}

/** Deletes the next messages of an erasure; whether more are left. A repeat, or an erasure that is done, does no harm. */
export async function continueErasure(db: Db, id: string): Promise<boolean> {
  return ((await db.batch(stepStatements(db, id))).at(-1)?.results.length ?? 0) > 0;
}

/** Erasures that were asked for before then (unix ms) and are not done. */
export async function findLateErasures(db: Db, before: number): Promise<string[]> {
  return (await db.all<{ id: string }>(findLate.bind(db, before))).map(({ id }) => id);
}

function stepStatements(db: Db, id: string): D1PreparedStatement[] {
  return [eraseSome, close, isOpen].map((statement) => statement.bind(db, id));
}
