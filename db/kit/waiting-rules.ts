import { gt, inArray, type SQL, sql } from "drizzle-orm";
import { alias, type SQLiteColumn } from "drizzle-orm/sqlite-core";
import { action_deliveries } from "./webhooks";

const d = alias(action_deliveries, "d");

/** Returns the condition that a delivery waits for an attempt, as written in the partial index. */
export const isWaiting = ({ status }: { status: SQLiteColumn }): SQL => inArray(status, ["pending", "failed"]);

/**
 * A recursive table expression, `waiting_rules(rule_id)`: the subscriptions that have waiting rows. It skips through
 * their index, from one subscription to the next.
 */
export const waitingRules = sql`waiting_rules(rule_id) as (
  select min(${action_deliveries.rule_id}) from ${action_deliveries} where ${isWaiting(action_deliveries)}
  union all
  select (select min(${d.rule_id}) from ${action_deliveries} d where ${isWaiting(d)} and ${gt(d.rule_id, sql`r.rule_id`)})
  from waiting_rules r where r.rule_id is not null)`;
