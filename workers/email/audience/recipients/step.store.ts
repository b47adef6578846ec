import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm";
import { broadcastColumns } from "../../../../db/email/conditions/broadcasts";
import type { BroadcastRow } from "../../../../db/email/rows";
import { broadcasts } from "../../../../db/email/schema";
import type { Db } from "../../../kit/db/db";
import { integer, json, text } from "../../../kit/db/kind";
import { isInList, queryBuilder } from "../../../kit/db/query";
import { type Bound, statement } from "../../../kit/db/statement";
import { MINUTE_MS, SECOND_MS } from "../../../kit/time";

/** The lease of a step. A step ends well before it. */
export const STEP_LEASE_MS = 60 * SECOND_MS;
/** A delayed queue message may arrive this early. */
const EARLY_MS = SECOND_MS;
/** The wait after a failed step, which doubles with each further failure. */
const FIRST_WAIT_MS = 5 * SECOND_MS;
const MAX_WAIT_MS = 10 * MINUTE_MS;
/** Maximum number of broadcasts that one sweep continues. */
const MAX_DUE = 500;

const { id, company_id, state, cursor, failed_steps, step_token, step_until, next_step_at } = broadcasts;

type State = BroadcastRow["state"];

// A paused broadcast waits, but its token must still be erased when it ends.
const hasWork = (now: SQL<number>) => sql`(${state} <> 'paused' or ${broadcasts.bearer_expires_at} <= ${now})`;
const isFree = (now: SQL<number>) => sql`(${step_until} is null or ${step_until} <= ${now})`;

/** The wait after `count` earlier failures. Capped before the shift, which would overflow. */
const waitAfter = (count: SQL) => sql`min(${FIRST_WAIT_MS} << min(${count}, 10), ${MAX_WAIT_MS})`;
// A lease that was not given back belongs to a step that died.
const failures = sql`${failed_steps} + (${step_until} is not null)`;

const claim = statement({ id, companyId: company_id, token: text, now: integer }, (p) =>
  queryBuilder
    .update(broadcasts)
    .set({
      step_token: p.token,
      step_until: sql`${p.now} + ${STEP_LEASE_MS}`,
      failed_steps: failures,
      // The sweep continues the broadcast if this step dies.
      next_step_at: sql`${p.now} + max(${STEP_LEASE_MS}, ${waitAfter(failures)})`,
    })
    .where(
      and(
        eq(id, p.id),
        eq(company_id, p.companyId),
        sql`${next_step_at} <= ${p.now} + ${EARLY_MS}`,
        isFree(p.now),
        hasWork(p.now),
      ),
    )
    .returning(broadcastColumns),
);

/** Leases the next step of a broadcast. Returns null when no step is due, or another consumer holds the lease. */
export function claimStep(
  db: Db,
  input: { id: number; companyId: number; token: string; now: number },
): Promise<BroadcastRow | null> {
  return db.first(claim(input));
}

/** The broadcast of a step: its lease, and the state and position that must not have changed. */
export type Lease = { id: number; token: string; states: readonly State[]; cursor: string };

export const leaseParameters = { id, token: text, states: json<readonly State[]>(), cursor };
export type LeaseParameters = {
  id: SQL<number>;
  token: SQL<string>;
  states: SQL<readonly State[]>;
  cursor: SQL<string>;
};

/** Returns the condition that the step still holds the broadcast, in the same state and at the same position. */
export const isHeld = (p: LeaseParameters): SQL =>
  sql`${id} = ${p.id} and ${step_token} = ${p.token} and ${isInList(state, p.states)} and ${cursor} = ${p.cursor}`;

/** Statement: the broadcast if the step still holds it, in whatever state it is now. */
export const findHeldBroadcast = statement({ id, token: text }, (p) =>
  queryBuilder
    .select(broadcastColumns)
    .from(broadcasts)
    .where(and(eq(id, p.id), eq(step_token, p.token))),
);

const releaseLost = statement({ id, token: text }, (p) =>
  queryBuilder
    .update(broadcasts)
    .set({ step_token: null, step_until: null })
    .where(and(eq(id, p.id), eq(step_token, p.token))),
);

/** Statement: gives the lease back without changing when the next step is due. */
export const releaseLostStep = ({ id, token }: { id: number; token: string }): Bound => releaseLost({ id, token });

const countFailure = statement({ id, token: text, now: integer }, (p) =>
  queryBuilder
    .update(broadcasts)
    .set({
      failed_steps: sql`${failed_steps} + 1`,
      step_token: null,
      step_until: null,
      next_step_at: sql`${p.now} + ${waitAfter(sql`${failed_steps}`)}`,
    })
    .where(and(eq(id, p.id), eq(step_token, p.token)))
    .returning({ failed_steps, next_step_at }),
);

/**
 * Counts a failed step and gives the lease back. Returns the number of failures in a row and the wait in ms, or null when the
 * step has lost the broadcast.
 */
export async function storeFailedStep(
  db: Db,
  { id, token, now }: { id: number; token: string; now: number },
): Promise<{ failedSteps: number; waitMs: number } | null> {
  const row = await db.first(countFailure({ id, token, now }));
  return row && { failedSteps: row.failed_steps, waitMs: (row.next_step_at ?? now) - now };
}

/** Statement: the broadcasts whose next step is due and not running, those that wait longest first. */
export const findDueBroadcasts = statement({ now: integer }, (p) =>
  queryBuilder
    .select({ id, company_id })
    .from(broadcasts)
    .where(and(lte(next_step_at, p.now), isFree(p.now), hasWork(p.now)))
    .orderBy(asc(next_step_at))
    .limit(MAX_DUE),
);
