import type { default_contents, messages } from "../../../db/email/schema";
import { type Db, sql } from "../../kit/db";
import type { ActionsContext } from "../../kit/webhooks/context";
import { batchWithEvents } from "../../kit/webhooks/event-log/new-event";
import type { CompanyProviderRow } from "../sender/company-provider.store";
import { notPaused, pauseLane } from "../sender/pause.store";
import type { Lane } from "../services";
import type { BreakerMark } from "./breaker";
import { type BreakerRow, claimedBreakers, closeBreakers, countFailures } from "./breaker.store";
import { heldEvents, type NewEvent } from "./event.store";
import { CLAIMED, FENCED, HELD } from "./lease.store";

export type MessageRow = typeof messages.$inferSelect;
export type ContentRow = typeof default_contents.$inferSelect;

/** A claimed message that must not be sent any more, and why (email details 5.1). */
export type BlockedRow = { id: string; code: "recipient_suppressed" | "unsubscribed" };

/** What one claim brought: rows, their pinned contents, provider rows, blocked recipients and breakers of the lane. */
export type Claim = {
  rows: MessageRow[];
  contents: Map<string, ContentRow>;
  providers: Map<number, CompanyProviderRow>;
  blocked: Map<string, BlockedRow["code"]>;
  breakers: BreakerRow[];
  /** those of the asked messages whose life is over; they are not claimed */
  expired: MessageRow[];
};

export type ClaimInput = {
  ids: readonly string[];
  token: string;
  lane: Lane;
  /** unix ms; the lease runs from here */
  now: number;
  leaseMs: number;
  /** unix ms; messages due until then are taken. Above `now` in the synchronous mode only. */
  dueUntil: number;
  /** of the platform credentials in force, or "" */
  platformFingerprint: string;
};

// Each set-based move is: events and roll-ups by the guard of the move, then the move itself, all in one transaction.
// A repeat finds no row that the guard lets through, so it adds nothing (design 4.2).

// The unary plus keeps the planner on the primary key: by lane it would walk everything that waits.
const claimRows = sql(`UPDATE messages AS m SET status = 'sending', lease_token = ?2, locked_until = ?3 + ?4,
  attempt_count = attempt_count + 1, claim_count = claim_count + 1
WHERE m.id IN (SELECT value FROM json_each(?1)) AND +m.lane = ?5
  AND m.status IN ('queued','retrying') AND +m.next_attempt_at <= ?6
  AND (m.expires_at IS NULL OR m.expires_at > ?3)
  AND ${notPaused("?7")}`);

// Read back by the token and not with RETURNING, so that a claim whose answer was lost is found by its repetition.
const claimedRows = sql(`SELECT m.* ${CLAIMED}`);

const claimedContents = sql(`SELECT * FROM default_contents
WHERE checksum IN (SELECT m.default_checksum ${CLAIMED} AND m.default_checksum IS NOT NULL)`);

const claimedProviders = sql(`SELECT * FROM company_providers WHERE company_id IN (SELECT m.company_id ${CLAIMED})`);

const blockedRows = sql(`SELECT m.id, 'recipient_suppressed' AS code ${CLAIMED} AND EXISTS (SELECT 1 FROM suppressions s
    WHERE s.company_id = m.company_id AND s.email_hmac = m.email_hmac AND (s.expires_at IS NULL OR s.expires_at > ?3)
      AND (m.lane <> 'auth' OR s.reason = 'hard_bounce')
      AND (s.lanes = '[]' OR EXISTS (SELECT 1 FROM json_each(s.lanes) l WHERE l.value = m.lane)))
UNION ALL
SELECT m.id, 'unsubscribed' ${CLAIMED} AND m.lane <> 'auth' AND EXISTS (SELECT 1 FROM unsubscribes u
    WHERE u.company_id = m.company_id AND u.email_hmac = m.email_hmac AND u.category IN (m.lane, m.category))`);

const expiredRows = sql(`SELECT m.* FROM json_each(?1) j CROSS JOIN messages m ON m.id = j.value
WHERE m.status IN ('queued','retrying') AND m.expires_at IS NOT NULL AND m.expires_at <= ?2`);

/**
 * Claims the due ones among `ids` for one lease and reads all that their attempts need, in one round trip, and those past
 * their life (email details 5.2). Repeating it with the same token answers the same rows.
 */
export async function claimMessages(db: Db, input: ClaimInput): Promise<Claim> {
  const { token, lane, now, leaseMs, dueUntil, platformFingerprint } = input;
  const ids = JSON.stringify(input.ids);
  type Results = [unknown, MessageRow, ContentRow, CompanyProviderRow, BlockedRow, BreakerRow, ...MessageRow[]];
  const [, rows, contents, providers, blocked, breakers, expired] = await db.batch<Results>([
    claimRows.bind(db, ids, token, now, leaseMs, lane, dueUntil, platformFingerprint),
    claimedRows.bind(db, ids, token),
    claimedContents.bind(db, ids, token),
    claimedProviders.bind(db, ids, token),
    blockedRows.bind(db, ids, token, now),
    claimedBreakers.bind(db, ids, token, lane),
    // Only the auth lane has messages that end by themselves.
    ...(lane === "auth" ? [expiredRows.bind(db, ids, now)] : []),
  ]);
  return {
    rows: rows.results,
    contents: new Map(contents.results.map((row) => [row.checksum, row])),
    providers: new Map(providers.results.map((row) => [row.company_id, row])),
    blocked: new Map(blocked.results.map((row) => [row.id, row.code])),
    breakers: breakers.results,
    expired: expired?.results ?? [],
  };
}

/** The stored result of one attempt or ended lease. Nulls of provider, scope, trace and times keep what is stored. */
export type Settlement = {
  id: string;
  token: string;
  status: "sent" | "retrying" | "failed" | "expired" | "suppressed";
  code: string | null;
  /** type and detail of the message event; null: none, as for a release */
  event: string | null;
  detail: { code: string | null; wait_seconds: number } | null;
  next_attempt_at: number | null;
  attempt_count: number;
  claim_count: number;
  provider: "api" | "smtp" | null;
  scope: "company" | "platform" | null;
  provider_message_id: string | null;
  sent_at: number | null;
  rank: number;
  trace: string | null;
  /** what this result does to the breaker of `scope`, company and lane */
  breaker: BreakerMark | null;
  /** of the sweep's run that made it */
  fence?: number | null;
};

/** A pause of one company's lane because of refused credentials (email details 5.5). */
export type CredentialPause = { lane: Lane; companyId: number; scope: "company" | "platform"; fingerprint: string };

const noteResults = sql(`INSERT INTO message_events (company_id, message_id, type, at, detail)
SELECT m.company_id, m.id, r.value ->> 'event', ?2, r.value ->> 'detail' ${HELD} AND r.value ->> 'event' IS NOT NULL`);

const countIf = (status: string) => `sum(r.value ->> 'status' = '${status}')`;

const countResults =
  sql(`INSERT INTO stats_days (company_id, day, lane, event_type, queued, sent, failed, expired, suppressed)
SELECT m.company_id, date(m.accepted_at / 1000, 'unixepoch'), m.lane, m.event_type, -count(*),
  ${countIf("sent")}, ${countIf("failed")}, ${countIf("expired")}, ${countIf("suppressed")}
${HELD} AND r.value ->> 'status' <> 'retrying'
GROUP BY 1, 2, 3, 4
ON CONFLICT (company_id, day, lane, event_type) DO UPDATE
SET queued = queued + excluded.queued, sent = sent + excluded.sent, failed = failed + excluded.failed,
  expired = expired + excluded.expired, suppressed = suppressed + excluded.suppressed`);

const moveResults = sql(`UPDATE messages SET status = r.value ->> 'status',
  variables_enc = CASE WHEN r.value ->> 'status' = 'retrying' THEN variables_enc END,
  next_attempt_at = coalesce(r.value ->> 'next_attempt_at', next_attempt_at),
  attempt_count = r.value ->> 'attempt_count', claim_count = r.value ->> 'claim_count',
  locked_until = NULL, lease_token = NULL, data_started = 0,
  provider = coalesce(r.value ->> 'provider', provider), scope = coalesce(r.value ->> 'scope', scope),
  provider_message_id = coalesce(r.value ->> 'provider_message_id', provider_message_id),
  sent_at = coalesce(r.value ->> 'sent_at', sent_at), rank = max(rank, r.value ->> 'rank'),
  last_error_code = r.value ->> 'code', trace = coalesce(r.value ->> 'trace', trace)
FROM json_each(?1) r
WHERE messages.id = r.value ->> 'id' AND messages.status = 'sending' AND messages.lease_token = r.value ->> 'token'
  AND ${FENCED}`);

/** Breakers that the stored results opened, and for how long (ms), or closed. */
export type BreakerChanges = { opened: (BreakerRow & { opened_ms: number })[]; closed: BreakerRow[] };

/** Results with what they lead to. */
export type Results = {
  settlements: readonly Settlement[];
  pauses: readonly CredentialPause[];
  events: readonly NewEvent[];
};

/**
 * Stores results with their events, roll-ups, pauses and breakers, in one round trip. A result whose lease is lost
 * changes nothing; neither does a repeat.
 */
export async function settleMessages(
  context: ActionsContext,
  { settlements, pauses, events }: Results,
  now: number,
): Promise<BreakerChanges> {
  const { db } = context;
  const list = JSON.stringify(settlements.map((row) => ({ ...row, detail: row.detail && JSON.stringify(row.detail) })));
  type Closed = BreakerRow;
  type Failing = BreakerRow & { opened_ms: number | null };
  const statements = [
    closeBreakers.bind(db, list),
    countFailures.bind(db, list, now),
    ...pauses.map(({ lane, companyId, scope, fingerprint }) =>
      pauseLane.bind(db, lane, companyId, scope, "provider_unauthorized", fingerprint, now, null),
    ),
    noteResults.bind(db, list, now),
    countResults.bind(db, list),
    ...heldEvents(db, events, now),
    moveResults.bind(db, list),
  ];
  const eventIds = events.map(({ event_id }) => event_id);
  const [closed, failing] = await batchWithEvents<[Closed, Failing, ...unknown[]]>(context, statements, eventIds);
  return {
    opened: failing.results.flatMap((row) => (row.opened_ms === null ? [] : [{ ...row, opened_ms: row.opened_ms }])),
    closed: closed.results.filter(({ opens }) => opens > 0),
  };
}

const startData = sql(
  "UPDATE messages SET data_started = 1 WHERE id = ?1 AND lease_token = ?2 AND status = 'sending' AND locked_until > ?3",
);

/** Marks that DATA begins, right before it does; false: the lease is lost and nothing may be sent (email details 5.4). */
export async function markDataStarted(db: Db, id: string, token: string, now: number): Promise<boolean> {
  const result = await db.run(startData.bind(db, id, token, now));
  return result.meta.changes > 0;
}
