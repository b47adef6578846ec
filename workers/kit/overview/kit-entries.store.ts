import { and, eq, gt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type AnySQLiteColumn, alias, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { isFailing } from "../../../db/kit/failing-rules";
import { idBefore } from "../../../db/kit/ids";
import { scheduled_job_states as states } from "../../../db/kit/jobs";
import { action_deliveries, type EventLogTable, action_rules as rules } from "../../../db/kit/webhooks";
import { json } from "../db/kind";
import { indexedBy, jsonEach, tableReference } from "../db/query";
import { DAY_MS } from "../time";
import type { EntryParameters, OverviewEntry } from "./entry.store";
import { pathOf } from "./path";

/** The webhook subscriptions that have failed for 24 hours, or that no attempt can fix. */
export const failingWebhooks: OverviewEntry = {
  code: "webhooks_failing",
  severity: "error",
  rows: ({ company, now }) =>
    sql`select ${rules.company_id} as company_id, 1 as matches from ${rules}
      where ${and(company === null ? undefined : eq(rules.company_id, company), isFailing(now))}`,
  list: ({ companyId }) =>
    companyId === null ? null : pathOf("/api/v1/actions/rules", { company_id: companyId, is_failing: true }),
};

const dead = alias(action_deliveries, "dead");
const nextDead = alias(action_deliveries, "next_dead");
const rule = alias(rules, "rule");
const isDead = (delivery: Record<"status", SQLWrapper>) => sql`${delivery.status} = 'dead'`;

// Jumps from subscription to subscription in the index of dead deliveries. Posts to the email service and callbacks have
// negative ids.
const rulesWithDead = sql`(with recursive ids(id) as (
    select min(${dead.rule_id}) from ${tableReference(dead)} where ${isDead(dead)} and ${dead.rule_id} > 0
    union all select (select min(${nextDead.rule_id}) from ${tableReference(nextDead)}
      where ${isDead(nextDead)} and ${nextDead.rule_id} > ids.id) from ids where ids.id is not null)
  select id from ids where id is not null) rule`;

/** The deliveries of the last 24 hours that were given up, of subscriptions that still exist. */
export const deadDeliveries: OverviewEntry = {
  code: "deliveries_dead",
  severity: "error",
  sinceMs: DAY_MS,
  rows: ({ company, now }) => {
    const source = company === null ? rulesWithDead : tableReference(rule);
    return sql`select coalesce(${dead.company_id}, 0) as company_id, ${dead.seq} is not null as matches
      from ${source} left join ${indexedBy(dead, "action_deliveries_dead")}
        on ${dead.rule_id} = ${rule.id} and ${isDead(dead)} and ${gt(dead.created_at, sql`${now} - ${DAY_MS}`)}
      ${company === null ? sql`` : sql`where ${rule.company_id} = ${company}`}`;
  },
  list: ({ companyId, since }) =>
    companyId === null
      ? null
      : pathOf("/api/v1/actions/deliveries", { company_id: companyId, status: "dead", created_after: since }),
};

type TableOfCompanies = SQLiteTable & { company_id: AnySQLiteColumn };

/** Returns the FROM term `company`: the ids of the companies that have rows in the table. It jumps from company to company in the key. */
export function companiesOf(log: TableOfCompanies): SQL {
  const first = alias(log, "first") as unknown as TableOfCompanies;
  const next = alias(log, "next") as unknown as TableOfCompanies;
  return sql`(with recursive ids(id) as (
      select min(${first.company_id}) from ${tableReference(first)} where ${first.company_id} > 0
      union all select (select min(${next.company_id}) from ${tableReference(next)} where ${next.company_id} > ids.id)
        from ids where ids.id is not null)
    select id from ids where id is not null) company`;
}

/**
 * Returns the entry of companies whose oldest event is more than a day past its retention. `retentionDays` returns the
 * retention of a company.
 */
export function staleEvents(
  log: EventLogTable,
  retentionDays: (company: SQLWrapper, p: EntryParameters) => SQL,
): OverviewEntry {
  const oldest = alias(log, "oldest") as unknown as EventLogTable;
  const id = sql`company.id`;
  return {
    code: "stale_events",
    severity: "warning",
    rows: (p) => {
      const limit = sql`${p.now} - (${retentionDays(id, p)} + 1) * ${DAY_MS}`;
      const isStale = sql`coalesce((select min(${oldest.id}) from ${tableReference(oldest)}
        where ${oldest.company_id} = ${id}) < ${idBefore(limit)}, 0)`;
      return sql`select ${id} as company_id, ${isStale} as matches
        from ${p.company === null ? companiesOf(log) : sql`(select ${p.company} as id) company`}`;
    },
    list: ({ companyId }) =>
      companyId === null ? null : pathOf("/api/v1/actions/event-log/retention", { company_id: companyId }),
  };
}

/** The scheduled jobs of a service, and after which time without success each of them is overdue (ms). */
export type JobDeadline = { job: string; overdue_ms: number };

/** The parameter of `failingJobs`, which exists only for all companies. */
export const jobsParameter = { jobs: json<readonly JobDeadline[]>() };

/** The scheduled jobs whose last run failed or that are overdue. They belong to no company. */
export const failingJobs: OverviewEntry = {
  code: "jobs_failing",
  severity: "error",
  rows: ({ company, now, serviceParameters }) => {
    if (company !== null) return null;
    const { from, item } = jsonEach(serviceParameters.jobs as SQL<readonly JobDeadline[]>, "watched");
    const { last_failure_at, last_success_at, created_at } = states;
    return sql`select 0 as company_id, (coalesce(${last_failure_at} > coalesce(${last_success_at}, 0), 0)
        or ${now} - coalesce(${last_success_at}, ${created_at}) > ${item.overdue_ms}) as matches
      from ${from} cross join ${states} on ${states.job} = ${item.job}`;
  },
  list: () => "/api/v1/scheduled-jobs",
};

/** Returns the entries that every service has. */
export const kitEntries = (...events: Parameters<typeof staleEvents>): OverviewEntry[] => [
  failingWebhooks,
  deadDeliveries,
  staleEvents(...events),
  failingJobs,
];
