import { and, eq, inArray, lte, sql } from "drizzle-orm";
import { isNotHeld } from "../../../../db/email/conditions/broadcasts";
import { isOpen, isUnauthorizedTooLong, isUnexpired, isWaiting } from "../../../../db/email/conditions/messages";
import { isNotPaused } from "../../../../db/email/conditions/pauses";
import { lane_states, messages } from "../../../../db/email/schema";
import { LANES, type Lane } from "../../../../schemas/email/delivery/lanes";
import type { Db } from "../../../kit/db/db";
import { integer, text } from "../../../kit/db/kind";
import { queryBuilder, type SelectedRow, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";
import { SECOND_MS } from "../../../kit/time";

/** Maximum number of messages of a lane that a pass enqueues again, for one company and for all companies. */
const MAX_WAKE_UPS_PER_COMPANY = 500;
const MAX_WAKE_UPS = 5000;
/** A due message is enqueued again after this time, because its queue message is then considered lost. */
const LATE_MS: Readonly<Record<Lane, number>> = {
  auth: 5 * SECOND_MS,
  transactional: 30 * SECOND_MS,
  // Bulk mail waits for its pace in delayed queue messages, which must not be enqueued again in the meantime.
  bulk: 120 * SECOND_MS,
};

/** The columns that are needed to settle an expired message or an ended lease, and to create the event. */
const endedColumns = {
  id: messages.id,
  lane: messages.lane,
  lease_token: messages.lease_token,
  provider_message_id: messages.provider_message_id,
  expires_at: messages.expires_at,
  data_started: messages.data_started,
  attempt_count: messages.attempt_count,
  claim_count: messages.claim_count,
  scope: messages.scope,
  trace: messages.trace,
  last_error_code: messages.last_error_code,
  provider: messages.provider,
  company_id: messages.company_id,
  service: messages.service,
  template_key: messages.template_key,
  event_type: messages.event_type,
  to_user_id: messages.to_user_id,
  template_version: messages.template_version,
  to_enc: messages.to_enc,
};

/** A message to enqueue again. */
export type DueRow = { id: string; company_id: number; lane: Lane };
type EndedRow = SelectedRow<typeof endedColumns>;

/** The work of a sweep: expired messages, messages whose lease has ended, and due messages whose queue message was lost. */
export type SweepWork = { expired: EndedRow[]; leases: EndedRow[]; due: DueRow[] };

// Scans all waiting auth messages, which are few. Messages of other lanes do not expire.
const findExpired = statement({ now: integer, size: integer }, (p) =>
  queryBuilder
    .select(endedColumns)
    .from(messages)
    .where(and(eq(messages.lane, "auth"), isWaiting, lte(messages.expires_at, p.now)))
    .limit(p.size),
);

// Selects the messages that waited too long for valid credentials. Scans only lanes with a pause for rejected credentials.
const findRefused = statement({ now: integer, size: integer }, (p) =>
  selectRows(endedColumns, (columns) => {
    const { lane, paused, fingerprint } = lane_states;
    const refusing = sql`select ${lane} from ${lane_states}
      where ${lane} in ('transactional', 'bulk') and ${paused} = 1 and ${fingerprint} is not null`;
    return sql`select ${columns} from ${messages} where ${messages.lane} in (${refusing}) and ${isWaiting} and ${isUnauthorizedTooLong(p.now)} and ${isNotHeld}
      limit ${p.size}`;
  }),
);

const findEndedLeases = (lanes: readonly Lane[]) =>
  statement({ now: integer, size: integer }, (p) =>
    queryBuilder
      .select(endedColumns)
      .from(messages)
      .where(
        and(
          inArray(messages.lane, [...lanes]),
          isOpen,
          eq(messages.status, "sending"),
          lte(messages.locked_until, p.now),
        ),
      )
      .limit(p.size),
  );

// Orders the rows round-robin by company: the first row of every company comes before any second row.
const findLate = (lanes: readonly Lane[]) =>
  statement({ now: integer, platformFingerprint: text }, (p) =>
    selectRows({ id: messages.id, company_id: messages.company_id, lane: messages.lane }, (columns) => {
      const late = (lane: Lane) => sql`select * from (select * from (
        select ${columns}, row_number() over (partition by ${messages.company_id} order by ${messages.next_attempt_at}) as turn from ${messages}
        where ${messages.lane} = ${lane} and ${isWaiting} and ${messages.next_attempt_at} <= ${p.now} - ${LATE_MS[lane]}
          and ${isUnexpired(p.now)} and ${isNotPaused(p.platformFingerprint)} and ${isNotHeld})
      where turn <= ${MAX_WAKE_UPS_PER_COMPANY} order by turn limit ${MAX_WAKE_UPS})`;
      return sql.join(lanes.map(late), sql` union all `);
    }),
  );

/** Returns the statements of a sweep of these lanes. */
const searchOf = (lanes: readonly Lane[]) => ({ leases: findEndedLeases(lanes), due: findLate(lanes) });

const searches = { all: searchOf(LANES), auth: searchOf(["auth"]) };

/**
 * The input of findSweepWork. `now` is in ms since the epoch. `size` limits the number of expired messages and of ended leases.
 */
export type Search = { lanes: keyof typeof searches; now: number; platformFingerprint: string; size: number };

/**
 * Returns the current work of the sweep in one round trip: expired messages, ended leases, and due messages whose queue message
 * was lost.
 */
export async function findSweepWork(db: Db, { lanes, now, platformFingerprint, size }: Search): Promise<SweepWork> {
  const search = searches[lanes];
  const { expired, refused, leases, due } = await db.batch({
    expired: findExpired({ now, size }),
    refused: lanes === "all" ? findRefused({ now, size }) : null,
    leases: search.leases({ now, size }),
    due: search.due({ now, platformFingerprint }),
  });
  return { expired: [...expired.rows, ...(refused?.rows ?? [])], leases: leases.rows, due: due.rows };
}
