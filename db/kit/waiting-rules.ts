import { gt, inArray, type SQL, sql } from "drizzle-orm";
import { alias, type SQLiteColumn } from "drizzle-orm/sqlite-core";
import { action_deliveries } from "./webhooks";

const delivery = alias(action_deliveries, "delivery");

/** Returns the condition that a delivery waits for an attempt, as written in the partial index. */
export const isWaiting = ({ status }: { status: SQLiteColumn }): SQL => inArray(status, ["pending", "failed"]);

/**
 * A recursive table expression, `waiting_rules(rule_id)`: the subscriptions that have waiting rows. It skips through
 * their index, from one subscription to the next.
 */
export const waitingRules = sql`waiting_rules(rule_id) as (
  select min(${action_deliveries.rule_id}) from ${action_deliveries} where ${isWaiting(action_deliveries)}
  union all
  select (select min(${delivery.rule_id}) from ${action_deliveries} delivery
    where ${isWaiting(delivery)} and ${gt(delivery.rule_id, sql`waiting_rules.rule_id`)})
  from waiting_rules where waiting_rules.rule_id is not null)`;
