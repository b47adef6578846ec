import type { Lane } from "../../../schemas/email/lanes";
import { type Db, sql } from "../../kit/db";
import {
  inForce,
  type LaneStateRow,
  listLanes,
  notPaused,
  pauseLane,
  pausesOfCompany,
  resumeLane,
} from "./pause.store";

/** One resume rings at most this many messages; the sweep of each minute rings the rest (email details 5.7). */
const MAX_RUNG = 500;

const pausesOfCompanies = sql(
  `SELECT p.* FROM lane_states p WHERE p.company_id > 0 AND p.paused = 1 AND (p.company_id, p.lane, p.scope) > (?1, ?2, ?3)
    AND ${inForce("?5")} ORDER BY p.company_id, p.lane, p.scope LIMIT ?4`,
);

// The conditions of the claim (email details 5.2): what may not be claimed need not be rung.
const isDue = `m.status IN ('queued','retrying') AND m.next_attempt_at <= ?2
    AND (m.expires_at IS NULL OR m.expires_at > ?2) AND ${notPaused("?4")}`;

const dueOfLane = sql(`SELECT m.id FROM messages m WHERE m.lane = ?1 AND ${isDue} ORDER BY m.next_attempt_at LIMIT ?3`);

const dueOfCompany = sql(
  `SELECT m.id FROM messages m WHERE m.lane = ?1 AND m.company_id = ?5 AND ${isDue} ORDER BY m.next_attempt_at LIMIT ?3`,
);

type PausePosition = readonly [companyId: number, lane: string, scope: string];

/** Pauses for everybody and one page of those of companies in force (`limit + 1` rows); one round trip. */
export async function listPauses(
  db: Db,
  after: PausePosition,
  limit: number,
  platformFingerprint: string,
): Promise<{ forAll: LaneStateRow[]; companies: LaneStateRow[] }> {
  const [forAll, companies] = await db.batch<[LaneStateRow, LaneStateRow]>([
    listLanes.bind(db),
    pausesOfCompanies.bind(db, ...after, limit + 1, platformFingerprint),
  ]);
  return { forAll: forAll.results, companies: companies.results };
}

/** Pauses for everybody and those of one company: at most two a lane, so they need no page. One round trip. */
export async function listPausesFor(
  db: Db,
  companyId: number,
  platformFingerprint: string,
): Promise<{ forAll: LaneStateRow[]; companies: LaneStateRow[] }> {
  const [forAll, companies] = await db.batch<[LaneStateRow, LaneStateRow]>([
    listLanes.bind(db),
    pausesOfCompany.bind(db, companyId, platformFingerprint),
  ]);
  return { forAll: forAll.results, companies: companies.results };
}

/** Stores a pause by staff: for everybody (company null), or for both scopes of one company. */
export async function storePause(
  db: Db,
  pause: { lane: Lane; companyId: number | null; reason: string; now: number; userId: number },
): Promise<void> {
  const { lane, companyId, reason, now, userId } = pause;
  const scopes = companyId === null ? [""] : ["company", "platform"];
  await db.batch(scopes.map((scope) => pauseLane.bind(db, lane, companyId ?? 0, scope, reason, null, now, userId)));
}

/** Ends the pause for everybody (company null), or those of one company. */
export async function endPause(db: Db, lane: Lane, companyId: number | null): Promise<void> {
  await db.run(resumeLane.bind(db, lane, companyId ?? 0));
}

/** Ids (32 hex) of messages that may be claimed now, the longest waiting first. */
export async function findDueIds(
  db: Db,
  lane: Lane,
  companyId: number | null,
  now: number,
  platformFingerprint: string,
): Promise<string[]> {
  const statement =
    companyId === null
      ? dueOfLane.bind(db, lane, now, MAX_RUNG, platformFingerprint)
      : dueOfCompany.bind(db, lane, now, MAX_RUNG, platformFingerprint, companyId);
  const rows = await db.all<{ id: string }>(statement);
  return rows.map((row) => row.id);
}
