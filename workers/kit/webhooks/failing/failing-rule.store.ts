import { isNotNull, type SQL, sql } from "drizzle-orm";
import { isNotificationDue } from "../../../../db/kit/failing-rules";
import { holdsFence } from "../../../../db/kit/jobs";
import { action_deliveries as deliveries, action_rules as rules } from "../../../../db/kit/webhooks";
import { integer, json, nullable, text } from "../../db/kind";
import { assignments, indexedBy, jsonEach, selectRows } from "../../db/query";
import { statement } from "../../db/statement";
import { DAY_MS } from "../../time";

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

/** Maximum number of deliveries that the counts of a notice read, by status. */
const MAX_COUNTED = 1000;

/** The columns that tell owners how the deliveries of a subscription fail. Each reads at most MAX_COUNTED rows by an index. */
const noticeCounts = () => {
  const { rule_id, status, attempt_count, last_error, last_error_code, updated_at, created_at } = deliveries;
  const ofRule = (state: SQL, since = sql`true`) => sql`select ${attempt_count} as attempts,
    case ${last_error_code} when 'http_status' then substr(${last_error}, 1, ${sql.raw(String("HTTP 503".length))}) else ${last_error_code} end as response,
    ${updated_at} as at from ${deliveries} where ${rule_id} = ${rules.id} and ${state} and ${since} limit ${sql.raw(String(MAX_COUNTED))}`;
  const waiting = ofRule(sql`${status} in ('pending','failed')`);
  // The delivery that began to fail is older than the failure.
  const since = sql`${created_at} >= ${rules.failing_since} - ${sql.raw(String(DAY_MS))} and ${updated_at} >= ${rules.failing_since}`;
  const givenUp = ofRule(sql`${status} = 'dead'`, since);
  const all = sql`(select * from (${waiting}) union all select * from (${givenUp}))`;
  return {
    waiting: sql`(select count(*) from (${waiting}))`.mapWith(integer),
    attempts: sql`(select coalesce(sum(attempts), 0) from ${all})`.mapWith(integer),
    /** the last result: `HTTP 503`, or an error code */
    last_status:
      sql`coalesce((select response from ${all} where response is not null order by at desc limit 1), '')`.mapWith(
        text,
      ),
  };
};

/** Statement: the subscriptions whose owners have not been emailed yet. */
export const findNotices = statement({}, () =>
  selectRows(
    { ...ruleColumns, notice_at: sql`${rules.notice_at}`.mapWith(integer), ...noticeCounts() },
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
