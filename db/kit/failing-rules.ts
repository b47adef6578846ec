import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { action_rules as r } from "./webhooks";

const DAY_MS = 86_400_000;

/**
 * Returns the condition that a webhook subscription is failing and its owners must be notified at `now` (unix ms). It
 * is false when they were already notified of this failure, or of another one within the last day. The terms match
 * those of the partial index.
 */
export const isNotificationDue = (now: SQLWrapper): SQL =>
  sql`${r.enabled} = 1 and ${r.is_failing_told} = 0 and (${r.failing_since} is not null or ${r.health_reason} is not null)
    and (case when ${r.health_reason} is not null then 0 else ${r.failing_since} end) <= ${now} - ${DAY_MS}
    and (${r.failing_told_at} is null or ${r.failing_told_at} <= ${now} - ${DAY_MS})`;
