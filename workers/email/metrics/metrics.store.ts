import { LANES, type Lane } from "../../../schemas/email/lanes";
import { type Db, sql } from "../../kit/db";
import { inForce, listLanes, pausesOfCompany } from "../sender/pause.store";

/** Count keys of the totals, in the order of the series. */
export const TOTAL_KEYS = [
  ...(["sent", "delivered", "bounced", "complained"] as const),
  ...(["failed", "expired", "suppressed", "cancelled"] as const),
];

/** Totals of a lane since the beginning. */
export type TotalsRow = { lane: Lane } & Record<(typeof TOTAL_KEYS)[number], number>;

/** What waits in a lane, and since when the oldest (unix ms). */
export type QueueRow = { lane: Lane; waiting: number; oldest: number };

/** A lane that is paused, for everybody as company 0. */
export type PauseRow = { lane: Lane; company_id: number };

/** Open breakers of a sender's scope. */
export type BreakerCount = { scope: "company" | "platform"; lane: Lane; open: number };

const laneList = LANES.map((lane) => `'${lane}'`).join(", ");

const totals = sql("SELECT * FROM message_totals WHERE company_id = ?1");

// By the index of what waits: it is as long as the backlog, not as the history.
const waiting = sql(`SELECT m.lane, count(*) AS waiting, min(m.accepted_at) AS oldest FROM messages m
WHERE m.lane IN (${laneList}) AND m.status IN ('queued','retrying') AND (?1 IS NULL OR m.company_id = ?1) GROUP BY m.lane`);

const pausesOfCompanies = sql(`SELECT DISTINCT p.lane, p.company_id FROM lane_states p
WHERE p.lane IN (${laneList}) AND p.paused = 1 AND p.company_id > 0 AND ${inForce("?1")}`);

const openBreakers = sql(`SELECT scope, lane, count(*) AS open FROM sender_breakers
WHERE scope IN ('company','platform') AND lane IN (${laneList}) AND open_until > 0 AND open_until > ?1 GROUP BY 1, 2`);

/**
 * The statements behind the series of messages: totals, queue, pauses for everybody and of companies, of one company or,
 * for null, of all. `platformFingerprint`: of the platform's credentials in force.
 */
export function messageFigures(db: Db, companyId: number | null, platformFingerprint: string): D1PreparedStatement[] {
  return [
    totals.bind(db, companyId ?? 0),
    waiting.bind(db, companyId),
    listLanes.bind(db),
    companyId === null
      ? pausesOfCompanies.bind(db, platformFingerprint)
      : pausesOfCompany.bind(db, companyId, platformFingerprint),
  ];
}

/** The statement behind the breakers of all senders; `now` in unix ms. */
export function breakerFigures(db: Db, now: number): D1PreparedStatement {
  return openBreakers.bind(db, now);
}
