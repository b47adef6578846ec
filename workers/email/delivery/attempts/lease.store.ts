import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { isRefusedTooLong } from "../../../../db/email/conditions/messages";
import { messages } from "../../../../db/email/schema";
import { holdsFence } from "../../../../db/kit/jobs";
import { jsonEach } from "../../../kit/db/query";

// A leased message has a state of its own, `sending`, which a waiting one never has: no claim asks whether a row is free, and
// ended leases are found by their state. So these terms are not those of the other outboxes.
const JOB = "sweep_email_queue";

const { id, status, lease_token, expires_at } = messages;

/** FROM and WHERE: those of a list of messages that the claim with this token took. */
export function claimed(p: { ids: SQL<readonly string[]>; token: SQL<string> }): SQL {
  const idList = jsonEach(p.ids);
  return sql`from ${idList.from} cross join ${messages} on ${id} = ${idList.value}
    where ${lease_token} = ${p.token} and ${status} = 'sending'`;
}

/**
 * Whether the life of a waiting message is over, or its wait for credentials. `fence`: of a sweep's run, null for a delivery.
 */
export function isExpired(p: { now: SQLWrapper; fence: SQLWrapper }): SQL {
  return sql`${status} in ('queued', 'retrying') and (${expires_at} <= ${p.now} or ${isRefusedTooLong(p.now)})
    and ${holdsFence(JOB, p.fence)}`;
}

/** What says whose result a row of a list is: message, lease, and the fence of the sweep's run that made it. */
type Leased = { id: string; token: string; fence?: number | null };

const isLeasedBy = (item: { [K in keyof Leased]-?: SQLWrapper }) =>
  sql`${id} = ${item.id} and ${status} = 'sending' and ${lease_token} = ${item.token} and ${holdsFence(JOB, item.fence)}`;

/** A list of results with their messages, as far as the lease still holds and no later run of the sweep has its lock. */
export function held<T extends Leased>(results: SQL<readonly T[]>) {
  const { from, item } = jsonEach(results);
  const where = isLeasedBy(item as { [K in keyof Leased]-?: SQLWrapper });
  return {
    item,
    list: from,
    where,
    from: sql`from ${from} cross join ${messages} on ${id} = ${item.id} where ${where}`,
  };
}
