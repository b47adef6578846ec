import { isNotNull, type SQL, sql } from "drizzle-orm";
import { isNotificationDue } from "../../../../db/kit/failing-rules";
import { holdsFence } from "../../../../db/kit/jobs";
import { action_rules as rules } from "../../../../db/kit/webhooks";
import { integer, json, nullable, text } from "../../db/kind";
import { assignments, indexedBy, jsonEach, selectRows } from "../../db/query";
import { statement } from "../../db/statement";

/** Maximum number of subscriptions whose owners one run notifies. The next run notifies the others. */
const MAX_NOTIFIED = 500;

const reason = sql`coalesce(${rules.health_reason}, 'failing_24h')`.mapWith(text);
const ruleColumns = {
  id: rules.id,
  company_id: rules.company_id,
  name: rules.name,
  event_type: rules.event_type,
  host: rules.host,
  health_reason: reason,
  failing_since: rules.failing_since,
};

/** Statement: the subscriptions whose owners must be notified at `now` (unix ms) that they are failing. */
export const findUnnotified = statement({ now: integer }, (p) =>
  selectRows(
    ruleColumns,
    (columns) => sql`select ${columns} from ${indexedBy(rules, "action_rules_untold")} where ${isNotificationDue(p.now)}
      limit ${MAX_NOTIFIED}`,
  ),
);

/**
 * Statement: marks the owners as notified, at the end of the batch. They are not notified again until the failure has
 * ended, and at most once a day.
 */
export const markNotified = statement({ ids: json<number[]>(), now: integer, fence: nullable(integer) }, (p) => {
  const values = assignments(rules, { is_failing_told: true, failing_told_at: p.now, notice_at: p.now });
  const id = jsonEach(p.ids);
  return sql`update ${rules} set ${values} from ${id.from} where ${rules.id} = ${id.value} and ${isNotificationDue(p.now)}
    and ${holdsFence("retry_webhooks", p.fence)}`;
});

/** Statement: the subscriptions whose owners have not been emailed yet. */
export const findNotices = statement({}, () =>
  selectRows(
    { ...ruleColumns, notice_at: sql`${rules.notice_at}`.mapWith(integer) },
    (columns) => sql`select ${columns} from ${rules} where ${isNotNull(rules.notice_at)} order by ${rules.notice_at}
      limit ${MAX_NOTIFIED}`,
  ),
);

/** Statement: ends the notices that identity has accepted. A later notice of the same subscription remains. */
export const endNotices = statement({ notices: json<readonly { id: number; notice_at: number }[]>() }, (p) => {
  const { from, item } = jsonEach(p.notices as SQL<readonly { id: number; notice_at: number }[]>);
  return sql`update ${rules} set ${assignments(rules, { notice_at: null })} from ${from}
    where ${rules.id} = ${item.id} and ${rules.notice_at} = ${item.notice_at}`;
});
