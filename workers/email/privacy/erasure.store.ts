import { type Db, sql } from "../../kit/db";
import { toSlices } from "../../kit/db/slices";
import { ERASED_BODY } from "../delivery/event.store";
import type { Actor } from "../unsubscribes/audit.store";

/** Messages that one step deletes, and events that it masks (email details 8.3). */
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

/** Rows of a table of Actions that tell of the address. */
const toldBy = (table: string) => `FROM erasures e CROSS JOIN json_each(e.hashes) h CROSS JOIN ${table} t
  ON t.company_id = e.company_id AND t.subject_hmac = h.value AND t.created_at <= e.requested_at WHERE e.id = ?1`;

// A late result of an attempt that runs finds no lease, and is kept as an attempt alone.
const endDeliveries = sql(`UPDATE action_deliveries SET status = 'dead', last_error_code = 'erased',
  last_error = 'the address was erased', locked_until = NULL, lease_token = NULL
WHERE seq IN (SELECT t.seq ${toldBy("action_deliveries")} AND t.status IN ('pending','failed'))`);

// A receiver may have repeated the address in its answer: of that only the status stays ("HTTP 500:").
const ANSWERED = "error_code IN ('http_status','redirect_blocked')";
const LAST_ERROR = `last_error = CASE WHEN last_${ANSWERED} THEN substr(last_error, 1, 9) ELSE last_error END`;
const FORGET_ANSWERS = `UPDATE delivery_attempts SET error_message = substr(error_message, 1, 9) WHERE ${ANSWERED}`;

// Deliveries whose event the purge has taken: nothing is left to mask by.
const ORPHANS = `SELECT t.seq ${toldBy("action_deliveries")}
  AND NOT EXISTS (SELECT 1 FROM event_log v WHERE v.event_id = t.event_id)`;
const forgetOrphans = sql(`${FORGET_ANSWERS} AND delivery_seq IN (${ORPHANS})`);
const emptyOrphans = sql(`UPDATE action_deliveries SET body = '${ERASED_BODY}', subject_hmac = NULL,
  last_error_code = CASE WHEN status = 'dead' THEN 'erased' ELSE last_error_code END,
  last_error = CASE WHEN status = 'dead' THEN 'the address was erased' ELSE last_error END
WHERE seq IN (${ORPHANS})`);

const findTold = sql(
  `SELECT t.id, t.event_id, t.company_id, t.data, t.envelope ${toldBy("event_log")} LIMIT ${ERASE_SIZE}`,
);

// A masked row names nobody any more, so the next step does not find it.
const maskEvents =
  sql(`UPDATE event_log SET data = r.value ->> 'data', envelope = r.value ->> 'envelope', subject_hmac = NULL
FROM json_each(?1) r WHERE event_log.id = r.value ->> 'id' AND event_log.event_id = r.value ->> 'event_id'`);
const forgetAnswers = sql(`${FORGET_ANSWERS} AND delivery_seq IN (SELECT d.seq FROM json_each(?1) r
  CROSS JOIN action_deliveries d ON d.event_id = r.value ->> 'event_id')`);
const maskDeliveries =
  sql(`UPDATE action_deliveries SET body = r.value ->> 'envelope', subject_hmac = NULL, ${LAST_ERROR}
FROM json_each(?1) r WHERE action_deliveries.event_id = r.value ->> 'event_id'`);

const close = sql(`DELETE FROM erasures WHERE id = ?1 AND NOT EXISTS (SELECT 1 ${ERASED})
  AND NOT EXISTS (SELECT 1 ${toldBy("event_log")}) AND NOT EXISTS (SELECT 1 ${toldBy("action_deliveries")})`);

const isOpen = sql("SELECT 1 AS open FROM erasures WHERE id = ?1");

const findLate = sql("SELECT id FROM erasures WHERE requested_at <= ?1 ORDER BY requested_at LIMIT 200");

/** An event that tells of the address, sealed; the envelope is null where it has none. */
export type ToldEvent = { id: number; event_id: string; company_id: number; data: string; envelope: string | null };

/** What a step has left: events to be masked, and whether there is anything for a further step. */
export type ErasureStep = { isMoreLeft: boolean; events: ToldEvent[] };

/**
 * Begins an erasure in one transaction: nothing of the address is sent any more, the first messages go with their events,
 * and the row stays until the last one is gone and all that was told of them is masked. `hashes`: of the address by each
 * pepper.
 */
export async function startErasure(
  db: Db,
  erasure: { id: string; companyId: number; hashes: readonly string[]; now: number },
  actor: Actor,
): Promise<ErasureStep & { messages: number }> {
  const { id, companyId, hashes, now } = erasure;
  const [, counted, ...steps] = await db.batch<[unknown, { messages: number }, ...unknown[]]>([
    open.bind(db, id, companyId, JSON.stringify(hashes), now),
    countErased.bind(db, id),
    noteErased.bind(db, id, actor.kind, actor.userId),
    countUnsent.bind(db, id),
    endUnsent.bind(db, id),
    endDeliveries.bind(db, id),
    ...stepStatements(db, id),
  ]);
  return { messages: counted.results[0]?.messages ?? 0, ...readStep(steps) };
}

/** The next step of an erasure. A repeat, or an erasure that is done, does no harm. */
export async function continueErasure(db: Db, id: string): Promise<ErasureStep> {
  return readStep(await db.batch<unknown[]>(stepStatements(db, id)));
}

/** Stores events with masked data, for their deliveries too; whether there is anything for a further step. */
export async function storeMasked(db: Db, id: string, events: readonly ToldEvent[]): Promise<boolean> {
  const masks = toSlices(events).flatMap((slice) =>
    [forgetAnswers, maskDeliveries, maskEvents].map((statement) => statement.bind(db, JSON.stringify(slice))),
  );
  const results = await db.batch<unknown[]>([...masks, close.bind(db, id), isOpen.bind(db, id)]);
  return (results.at(-1)?.results.length ?? 0) > 0;
}

/** Erasures that were asked for before then (unix ms) and are not done. */
export async function findLateErasures(db: Db, before: number): Promise<string[]> {
  return (await db.all<{ id: string }>(findLate.bind(db, before))).map(({ id }) => id);
}

function stepStatements(db: Db, id: string): D1PreparedStatement[] {
  return [eraseSome, forgetOrphans, emptyOrphans, close, findTold, isOpen].map((statement) => statement.bind(db, id));
}

function readStep(results: readonly D1Result<unknown>[]): ErasureStep {
  const [told, open] = results.slice(-2);
  return { events: (told?.results ?? []) as ToldEvent[], isMoreLeft: (open?.results.length ?? 0) > 0 };
}
