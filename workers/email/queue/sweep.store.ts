import { type Db, sql } from "../../kit/db";
import type { EndedLeaseRow } from "../delivery/settlement";
import { notPaused } from "../sender/pause.store";
import type { Lane } from "../services";
import type { SealedMessage } from "../webhooks/event";

/** Rows of one company that a pass rings for (email details 5.7). */
const RING_PER_COMPANY = 500;
/** Rows that a pass rings for in all. */
const RING_IN_ALL = 5000;
/** How long a doorbell may take before it counts as lost (email details 5.7). */
const LATE_MS: Readonly<Record<Lane, number>> = { auth: 5000, transactional: 30_000, bulk: 30_000 };

/** Work that the sweep found: what has ended, with what its event tells, and what needs a doorbell. */
export type EndedRow = EndedLeaseRow & SealedMessage & { kind: "expired" | "lease" };
export type SweepRow = EndedRow | { kind: "due"; id: string; lane: Lane };

// A doorbell needs nothing but the lane.
const NAMES = [
  ...["lease_token", "provider_message_id", "expires_at", "data_started", "attempt_count", "claim_count"],
  ...[
    "last_error_code",
    "company_id",
    "service",
    "template_key",
    "event_type",
    "to_user_id",
    "template_version",
    "to_enc",
  ],
];
const COLUMNS = ["id", "lane", ...NAMES].map((name) => `m.${name}`).join(", ");
const DUE_COLUMNS = ["m.id", "m.lane", ...NAMES.map((name) => `NULL AS ${name}`)].join(", ");

const lateOf = (
  lane: Lane,
) => `SELECT ${DUE_COLUMNS}, row_number() OVER (PARTITION BY m.company_id ORDER BY m.next_attempt_at) AS turn
  FROM messages m
  WHERE m.lane = '${lane}' AND m.status IN ('queued','retrying') AND m.next_attempt_at <= ?1 - ${LATE_MS[lane]}
    AND (m.expires_at IS NULL OR m.expires_at > ?1) AND ${notPaused("?2")}`;

// The companies take turns: the first rows of all come before the second ones of any.
const late = (lane: Lane) => `SELECT * FROM (SELECT 'due' AS kind, * FROM (${lateOf(lane)})
  WHERE turn <= ${RING_PER_COMPANY} ORDER BY turn LIMIT ${RING_IN_ALL})`;

const findWork = sql(`SELECT * FROM (SELECT 'expired' AS kind, ${COLUMNS}, 0 AS turn FROM messages m
  WHERE m.status IN ('queued','retrying') AND m.expires_at IS NOT NULL AND m.expires_at <= ?1 LIMIT ?3)
UNION ALL SELECT * FROM (SELECT 'lease' AS kind, ${COLUMNS}, 0 AS turn FROM messages m
  WHERE m.status = 'sending' AND m.locked_until <= ?1 LIMIT ?3)
UNION ALL ${late("auth")}
UNION ALL ${late("transactional")}
UNION ALL ${late("bulk")}`);

/**
 * Everything the sweep has to do now, in one query: ended lives and leases, at most `size` of each, and due messages whose
 * doorbell is late.
 */
export function findSweepWork(db: Db, now: number, platformFingerprint: string, size: number): Promise<SweepRow[]> {
  return db.all<SweepRow>(findWork.bind(db, now, platformFingerprint, size));
}
