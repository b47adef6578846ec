import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { action_rules as rules } from "./webhooks";

const DAY_MS = 86_400_000;

/**
 * Returns the condition that a webhook subscription has failed for a day at `now` (unix ms), or that no attempt can fix it.
 * The terms match those of the partial index of unhealthy subscriptions.
 */
export const isFailing = (now: SQLWrapper): SQL =>
  sql`(${rules.failing_since} is not null or ${rules.health_reason} is not null)
    and (case when ${rules.health_reason} is not null then 0 else ${rules.failing_since} end) <= ${now} - ${DAY_MS}`;

/**
 * Returns the condition that a webhook subscription is failing and its owners must be notified at `now` (unix ms). It
 * is false when they were already notified of this failure, or of another failure within the last day. The terms match
 * those of the partial index.
 */
export const isNotificationDue = (now: SQLWrapper): SQL =>
  sql`${rules.enabled} = 1 and ${rules.is_failing_told} = 0 and (${rules.failing_since} is not null
    or ${rules.health_reason} is not null)
    and (case when ${rules.health_reason} is not null then 0 else ${rules.failing_since} end) <= ${now} - ${DAY_MS}
    and (${rules.failing_told_at} is null or ${rules.failing_told_at} <= ${now} - ${DAY_MS})`;
