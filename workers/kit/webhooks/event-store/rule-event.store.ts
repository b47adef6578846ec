import { sql } from "drizzle-orm";
import { isNotificationDue } from "../../../../db/kit/failing-rules";
import { holdsFence } from "../../../../db/kit/jobs";
import { type EventLogTable, action_rules as rules } from "../../../../db/kit/webhooks";
import { integer, json, nullable } from "../../db/kind";
import { columnName, jsonEach } from "../../db/query";
import { statement } from "../../db/statement";

/**
 * The event of a subscription that has started to fail. When `envelope` is null, a later statement creates the
 * envelope.
 */
export type RuleEventInput = {
  rule: number;
  id: string;
  company_id: number;
  type: string;
  data: string;
  envelope: string | null;
};

/**
 * Registers the statement that inserts the events of failing subscriptions. It must run before the statement that marks
 * the owners as notified. Call it at module level.
 */
export function createRuleEventStatement(log: EventLogTable) {
  return statement({ events: json<readonly RuleEventInput[]>(), now: integer, fence: nullable(integer) }, (p) => {
    const { from, item } = jsonEach(p.events);
    const columns = [log.id, log.company_id, log.event_type, log.data, log.envelope, log.created_at];
    const values = sql.join([item.id, item.company_id, item.type, item.data, item.envelope, p.now], sql`, `);
    return sql`insert into ${log} (${sql.join(columns.map(columnName), sql`, `)}) select ${values}
      from ${from} cross join ${rules} on ${rules.id} = ${item.rule}
      where ${isNotificationDue(p.now)} and ${holdsFence("retry_webhooks", p.fence)} on conflict do nothing`;
  });
}
