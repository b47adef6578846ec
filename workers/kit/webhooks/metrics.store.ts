import { eq, gte, ne, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { isFailing } from "../../../db/kit/failing-rules";
import { isWaiting, waitingRules } from "../../../db/kit/waiting-rules";
import {
  action_deliveries,
  action_rules,
  action_counters as counters,
  action_hosts as hosts,
} from "../../../db/kit/webhooks";
import { integer, nullable, text } from "../db/kind";
import { type SelectedRow, selectRows, tableReference } from "../db/query";
import { statement } from "../db/statement";

const delivery = alias(action_deliveries, "delivery");
const rule = alias(action_rules, "rule");
const rules = action_rules;

const metricColumns = { name: sql`'deliveries.' || status`.mapWith(text), value: sql`n`.mapWith(nullable(integer)) };

/**
 * One value of a scrape: `deliveries.{status}`, `oldest_due_at` (unix ms), `rules_failing`, `hosts_limited`, or a
 * stored total.
 */
export type MetricRow = SelectedRow<typeof metricColumns>;

/**
 * Returns the table expression `waiting`: the number of waiting deliveries by status, and the time at which the oldest became
 * due. Deliveries of disabled subscriptions are counted but never due.
 */
const waiting = (source: SQL) => sql`waiting as materialized (select ${delivery.status}, count(*) as n,
    min(case when coalesce(${rule.enabled}, 1) = 1 then ${delivery.due_at} end) as due_at
  from ${source} group by ${delivery.status})`;

// The term of the partial index of hosts that do not respond.
const isLimited = gte(hosts.consecutive_failures, 10);

/**
 * Returns one statement for all values of a scrape. The terms in `picked` select the subscriptions, hosts and totals.
 */
const selectMetrics = (
  columns: SQL,
  picked: { rules: SQL; hosts: SQL; company: SQL },
) => sql`select ${columns} from waiting
  union all select 'oldest_due_at', min(due_at) from waiting
  union all select 'rules_failing', count(*) from ${rules} where ${picked.rules}
  union all select 'hosts_limited', count(*) from ${hosts} where ${picked.hosts}
  union all select ${counters.name}, ${counters.value} from ${counters} where ${counters.company_id} = ${picked.company}`;

export const selectMetricsOfAll = statement({ now: integer }, (p) =>
  selectRows(metricColumns, (columns) => {
    const source = sql`waiting_rules left join ${tableReference(rule)} on ${rule.id} = waiting_rules.rule_id
      cross join ${tableReference(delivery)} on ${delivery.rule_id} = waiting_rules.rule_id
        and ${isWaiting(delivery)} and ${ne(delivery.kind, "email")}`;
    return sql`with recursive ${waitingRules}, ${waiting(source)}
      ${selectMetrics(columns, { rules: isFailing(p.now), hosts: isLimited, company: sql`0` })}`;
  }),
);

// A company has at most 100 subscriptions, so this statement reads few rows.
export const selectMetricsOfCompany = statement({ now: integer, company: integer }, (p) =>
  selectRows(metricColumns, (columns) => {
    const isOfCompany = eq(rules.company_id, p.company);
    const source = sql`${tableReference(rule)}
      cross join ${tableReference(delivery)} on ${delivery.rule_id} = ${rule.id} and ${isWaiting(delivery)}
      where ${rule.company_id} = ${p.company}`;
    const companyHosts = sql`${isLimited} and ${hosts.host} in (select ${rules.host} from ${rules} where ${isOfCompany})`;
    return sql`with ${waiting(source)}
      ${selectMetrics(columns, { rules: sql`${isOfCompany} and ${isFailing(p.now)}`, hosts: companyHosts, company: p.company })}`;
  }),
);
