import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { action_rules as r } from "./webhooks";

const DAY_MS = 86_400_000;

/**
 * Whether the owners of a rule are to be told at `now` (unix ms) that it fails: they were not told of this failing yet, nor of
 * another one within the day. The terms stand here as the index of such rules has them.
 */
export const isUntold = (now: SQLWrapper): SQL =>
  sql`${r.enabled} = 1 and ${r.is_failing_told} = 0 and (${r.failing_since} is not null or ${r.health_reason} is not null)
    and (case when ${r.health_reason} is not null then 0 else ${r.failing_since} end) <= ${now} - ${DAY_MS}
    and (${r.failing_told_at} is null or ${r.failing_told_at} <= ${now} - ${DAY_MS})`;
