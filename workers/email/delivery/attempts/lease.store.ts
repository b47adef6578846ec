import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { isUnauthorizedTooLong } from "../../../../db/email/conditions/messages";
import { messages } from "../../../../db/email/schema";
import { holdsFence } from "../../../../db/kit/jobs";
import { jsonEach } from "../../../kit/db/query";

// A leased message has the status `sending`. Claims therefore need not check the lease, and the sweep finds expired leases by
// status. Other outboxes have no such status and use other conditions.
const JOB = "sweep_email_queue";

const { id, status, lease_token, expires_at } = messages;

/** Returns the FROM and WHERE clauses for the listed messages that are leased with this token. */
export function fromClaimed(p: { ids: SQL<readonly string[]>; token: SQL<string> }): SQL {
  const idList = jsonEach(p.ids);
  return sql`from ${idList.from} cross join ${messages} on ${id} = ${idList.value}
    where ${lease_token} = ${p.token} and ${status} = 'sending'`;
}

/**
 * Returns the condition that a waiting message has expired or waited too long for credentials. `fence` is the number of the job
 * lock that a sweep run holds; it is null when a delivery calls this.
 */
export function isExpired(p: { now: SQLWrapper; fence: SQLWrapper }): SQL {
  return sql`${status} in ('queued', 'retrying') and (${expires_at} <= ${p.now} or ${isUnauthorizedTooLong(p.now)})
    and ${holdsFence(JOB, p.fence)}`;
}

/** The key of a result: the message, its lease, and the fence if a sweep run stores the result. */
type LeaseKey = { id: string; token: string; fence?: number | null };

const isLeasedBy = (key: { [K in keyof LeaseKey]-?: SQLWrapper }) =>
  sql`${id} = ${key.id} and ${status} = 'sending' and ${lease_token} = ${key.token} and ${holdsFence(JOB, key.fence)}`;

/** Joins results with their messages. Omits results whose lease has ended or whose sweep run has lost its lock. */
export function leasedResults<T extends LeaseKey>(results: SQL<readonly T[]>) {
  const { from: list, item: result } = jsonEach(results);
  const where = isLeasedBy(result as { [K in keyof LeaseKey]-?: SQLWrapper });
  return { result, list, where, from: sql`from ${list} cross join ${messages} on ${id} = ${result.id} where ${where}` };
}
