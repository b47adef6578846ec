import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { isWaiting } from "../../../../db/kit/waiting-rules";
import { action_deliveries as deliveries, action_rules as rules } from "../../../../db/kit/webhooks";
import type { Db } from "../../db/db";
import { boolean, integer, text } from "../../db/kind";
import { indexedBy, queryBuilder, selectRows } from "../../db/query";
import { type Bound, followedBy, statement } from "../../db/statement";
import { type DeliveryWithBody, findDelivery } from "./delivery.store";

// A requeue keeps the rows of earlier attempts. It also keeps a live lease: the result of the running attempt then counts as
// attempt 1.
const requeued = (now: SQL<number>) => ({
  status: "pending" as const,
  attempt_count: 0,
  claim_count: 0,
  requeue_count: sql`${deliveries.requeue_count} + 1`,
  due_at: now,
  last_error: null,
  last_error_code: null,
  updated_at: now,
});

/** The condition that a delivery has content to send. An erasure may have removed it. */
const hasContent = sql`(${deliveries.body} <> '{}' or ${deliveries.last_error_code} is not 'erased')`;

const requeueOne = statement({ id: deliveries.id, now: integer }, (p) =>
  queryBuilder
    .update(deliveries)
    .set(requeued(p.now))
    .where(
      and(
        eq(deliveries.id, p.id),
        eq(deliveries.kind, "webhook"),
        inArray(deliveries.status, ["dead", "failed"]),
        hasContent,
        sql`exists (select 1 from ${rules} where ${rules.id} = ${deliveries.rule_id})`,
      ),
    )
    .returning({ seq: deliveries.seq }),
);

/**
 * Requeues a dead or failed delivery of an existing subscription and makes it due at once. Returns the current row, and
 * whether this call changed it.
 */
export async function requeueDelivery(
  db: Db,
  id: string,
  now: number,
  entries: Bound[],
): Promise<{ isRequeued: boolean; row: DeliveryWithBody | null }> {
  const { changed, delivery } = await db.batch({
    changed: followedBy(requeueOne({ id, now }), ...entries),
    delivery: findDelivery({ id, company: null }),
  });
  return { isRequeued: changed.rows.length > 0, row: delivery.first };
}

/** Maximum number of deliveries that one call requeues. */
const MAX_REQUEUED = 20_000;

const chosen = { rule: deliveries.rule_id, status: text, since: integer, until: integer };

/** Selects deliveries of a subscription by status (`dead`, `failed`, `all`) and creation time. */
const chosenRows = (p: { [K in keyof typeof chosen]: SQL }) => sql`select ${deliveries.seq}, ${deliveries.created_at}
    from ${indexedBy(deliveries, "action_deliveries_waiting")}
    where ${isWaiting(deliveries)} and ${deliveries.rule_id} = ${p.rule} and ${deliveries.status} = 'failed'
      and ${p.status} <> 'dead' and ${deliveries.created_at} >= ${p.since} and ${deliveries.created_at} < ${p.until}
  union all select ${deliveries.seq}, ${deliveries.created_at} from ${indexedBy(deliveries, "action_deliveries_dead")}
    where ${deliveries.status} = 'dead' and ${deliveries.rule_id} = ${p.rule} and ${deliveries.created_at} >= ${p.since}
      and ${deliveries.created_at} < ${p.until} and ${p.status} <> 'failed' and ${hasContent}`;

const requeueMany = statement({ ...chosen, now: integer }, (p) =>
  queryBuilder
    .update(deliveries)
    .set(requeued(p.now))
    .where(
      and(
        sql`${deliveries.seq} in (select seq from (${chosenRows(p)}) order by created_at, seq limit ${MAX_REQUEUED})`,
        sql`exists (select 1 from ${rules} where ${rules.id} = ${p.rule})`,
      ),
    ),
);

const countMany = statement(chosen, (p) =>
  selectRows(
    { requeued: sql`count(*)`.mapWith(integer) },
    (columns) => sql`select ${columns} from (select 1 from (${chosenRows(p)}) limit ${MAX_REQUEUED})`,
  ),
);

const hasMore = statement(chosen, (p) =>
  selectRows(
    { more: sql`exists (select 1 from (${chosenRows(p)}))`.mapWith(boolean) },
    (columns) => sql`select ${columns}`,
  ),
);

type Chosen = { status: "dead" | "failed" | "all"; since: number; until: number };

/** Returns how many deliveries a requeue of a subscription would select, up to the limit of one call. */
export async function countRequeue(
  db: Db,
  ruleId: number,
  chosen: Chosen,
): Promise<{ requeued: number; complete: boolean }> {
  const requeued = (await db.first(countMany({ rule: ruleId, ...chosen })))?.requeued ?? 0;
  return { requeued, complete: requeued < MAX_REQUEUED };
}

/** Requeues up to 20,000 deliveries of a subscription, oldest first by creation time; times are unix ms. */
export async function requeueOfRule(
  db: Db,
  ruleId: number,
  { status, since, until }: Chosen,
  now: number,
  entries: Bound[],
): Promise<{ requeued: number; complete: boolean }> {
  const values = { rule: ruleId, status, since, until };
  const { changed, remaining } = await db.batch({
    changed: followedBy(requeueMany({ ...values, now }), ...entries),
    remaining: hasMore(values),
  });
  return { requeued: changed.changes, complete: remaining.first?.more !== true };
}
