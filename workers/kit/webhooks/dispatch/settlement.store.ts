import { eq, isNull, type SQL, sql } from "drizzle-orm";
import { type AnySQLiteColumn, alias } from "drizzle-orm/sqlite-core";
import { scheduled_job_counters as jobCounters, scheduled_job_runs as jobRuns } from "../../../../db/kit/jobs";
import { isWaiting } from "../../../../db/kit/waiting-rules";
import {
  type AttemptRow,
  action_counters,
  action_deliveries,
  delivery_attempts,
  action_hosts as hosts,
  action_rules as rules,
} from "../../../../db/kit/webhooks";
import type { Db } from "../../db/db";
import { integer, json } from "../../db/kind";
import {
  assignments,
  columnName,
  type InsertValues,
  insertSelect,
  jsonEach,
  type SelectedRow,
  selectRows,
  tableReference,
} from "../../db/query";
import { statement } from "../../db/statement";
import { DAY_MS, HOUR_MS } from "../../time";

/** The result of an attempt, for the rows of the attempt and the delivery. Times are unix ms. */
type Attempted = {
  status: AttemptRow["status"];
  http_status: number | null;
  error_code: string | null;
  error_message: string | null;
  attempt_number: number;
  requeue_count: number;
  duration_ms: number;
  trigger: AttemptRow["trigger"];
  run_id: number | null;
  /** the next status; the statement converts `retry` to `failed` or, after the last attempt, to `dead` */
  next: "delivered" | "dead" | "retry";
  /** the delay that the receiver requested; null for the delay of the schedule */
  wait_ms: number | null;
  /** whether the host sent an HTTP response; null when no request was sent */
  answered: boolean | null;
  gone: boolean;
};

/**
 * A claimed delivery without an attempt. `free` releases the claim and its lease. `postpone` also delays the delivery
 * by `wait_ms`.
 */
type Unsent = {
  status: null;
  next: "free" | "postpone" | "dead";
  error_code: string | null;
  error_message: string | null;
  wait_ms: number | null;
};

type Key = { seq: number; id: string; token: string; at: number; counts: string[] };

/** A result to store. `counts` has the names of the retry run's counts that this result increments. */
export type Result = (Attempted | Unsent) & Key;

/**
 * The delay after the first attempt. It doubles with each further attempt, up to an hour. The statement computes it
 * instead of waitAfter, because a requeue may have reset the number of attempts since the claim.
 */
const FIRST_WAIT_MS = 30_000;

const parameters = { results: json<readonly Result[]>() };
const delivery = alias(action_deliveries, "delivery");

/** Reads the list of results. Members that only attempts have are null in other results. */
const eachResult = (p: { results: SQL<readonly Result[]> }) => jsonEach(p.results as SQL<readonly (Attempted & Key)[]>);
type EachResult = ReturnType<typeof eachResult>;

const isAttempted = ({ item }: EachResult) => sql`${item.status} is not null`;

const isDeliveryOf = ({ item }: EachResult) => sql`${delivery.seq} = ${item.seq} and ${delivery.id} = ${item.id}`;

/**
 * Returns the FROM clause that joins each result to its delivery if the lease of the delivery is still held. The statement that
 * ends the lease is the last of the batch, so a repeated batch matches nothing. A result whose lease was lost only stores
 * its attempt and, in a helper, its counts.
 */
const fromHeldDeliveries = (result: EachResult) =>
  sql`from ${result.from} cross join ${tableReference(delivery)} on ${isDeliveryOf(result)}
    and ${delivery.lease_token} = ${result.item.token}`;

const insertAttempts = statement(parameters, (p) => {
  const result = eachResult(p);
  const { token, run_id, at } = result.item;
  const { status, http_status, error_code, error_message, attempt_number, requeue_count, duration_ms, trigger } =
    result.item;
  return insertSelect(
    delivery_attempts,
    {
      status,
      http_status,
      error_code,
      error_message,
      attempt_number,
      requeue_count,
      duration_ms,
      trigger,
      delivery_seq: delivery.seq,
      lease_token: token,
      scheduled_job_run_id: run_id,
      created_at: at,
    },
    sql`from ${result.from} cross join ${tableReference(delivery)} on ${isDeliveryOf(result)}
      where ${isAttempted(result)} on conflict do nothing`,
  );
});

/**
 * Selects a summary of the results of a batch for each subscription. Only failures after the last success of the batch count
 * as failing.
 */
const byRule = (result: EachResult) => {
  const { at, status, gone, error_code } = result.item;
  return sql`select rule_id, max(ok_at) as ok_at, max(case when failed then at end) as failed_at,
    min(case when failed and at > coalesce(ok_at, -1) then at end) as failing_at,
    max(case when failed and at > coalesce(ok_at, -1) then gone else 0 end) as gone,
    max(case when at > coalesce(ok_at, -1) then secret else 0 end) as secret
  from (select ${delivery.rule_id}, ${at} as at, ${status} is 'failure' as failed, coalesce(${gone}, 0) as gone,
      ${error_code} is 'secret_unavailable' as secret,
      max(case when ${status} = 'success' then ${at} end) over (partition by ${delivery.rule_id}) as ok_at
    ${fromHeldDeliveries(result)} where ${eq(delivery.kind, "webhook")} and (${isAttempted(result)}
      or ${error_code} = 'secret_unavailable'))
  group by rule_id`;
};

// A success ends the failing period; the first failure after it starts a new one.
const recordHealth = statement(parameters, (p) => {
  const values = assignments(rules, {
    last_success_at: sql`coalesce(health.ok_at, ${rules.last_success_at})`,
    last_failure_at: sql`coalesce(health.failed_at, ${rules.last_failure_at})`,
    failing_since: sql`case when health.ok_at is null then coalesce(${rules.failing_since}, health.failing_at)
      else health.failing_at end`,
    health_reason: sql`case when health.ok_at is null then ${rules.health_reason} end`,
    is_failing_told: sql`case when health.ok_at is null then ${rules.is_failing_told} else 0 end`,
  });
  return sql`update ${rules} set ${values} from (${byRule(eachResult(p))}) health where ${rules.id} = health.rule_id`;
});

const failing = { id: rules.id, company_id: rules.company_id, health_reason: rules.health_reason };

/** A subscription that has started to fail. */
export type FailingRule = SelectedRow<typeof failing>;

/**
 * Marks the subscriptions that have started to fail: immediately when the target is gone or the secret cannot be
 * opened, otherwise after a day.
 */
const markFailing = statement(parameters, (p) =>
  selectRows(failing, (columns) => {
    const reason = sql`case when health.gone then 'gone' when health.secret then 'secret_unavailable'
      else 'failing_24h' end`;
    return sql`update ${rules} set ${assignments(rules, { health_reason: reason })}
        from (${byRule(eachResult(p))}) health where ${rules.id} = health.rule_id and ${isNull(rules.health_reason)}
          and (health.gone or health.secret or (health.failing_at is not null
            and ${rules.failing_since} <= health.failed_at - ${DAY_MS}))
        returning ${columns}`;
  }),
);

const clearHosts = statement(parameters, (p) => {
  const result = eachResult(p);
  return sql`delete from ${hosts} where ${hosts.host} in (select ${delivery.host} ${fromHeldDeliveries(result)}
    where ${result.item.answered} = 1)`;
});

const countHosts = statement(parameters, (p) => {
  const result = eachResult(p);
  const { at, answered } = result.item;
  return sql`${insertSelect(
    hosts,
    { host: sql`host`, consecutive_failures: sql`count(*)`, last_failure_at: sql`max(at)` },
    sql`from (select ${delivery.host}, ${at} as at, ${answered} as answered,
        max(case when ${answered} = 1 then ${at} end) over (partition by ${delivery.host}) as answered_at
      ${fromHeldDeliveries(result)} where ${answered} is not null)
    where answered = 0 and at > coalesce(answered_at, -1) group by host`,
  )} on conflict (${columnName(hosts.host)}) do update set ${assignments(hosts, {
    consecutive_failures: sql`${hosts.consecutive_failures} + excluded.consecutive_failures`,
    last_failure_at: sql`max(${hosts.last_failure_at}, excluded.last_failure_at)`,
  })}`;
});

/**
 * Adds the attempts to the totals of their company and of all companies (stored as company 0). The totals are named
 * `webhook_attempts.{success or failure}.{trigger}`.
 */
const countAttempts = statement(parameters, (p) => {
  const result = eachResult(p);
  const { company_id, name: total, value } = action_counters;
  return sql`${insertSelect(
    action_counters,
    {
      company_id: sql`scope.value * ${delivery.company_id}`,
      name: sql`'webhook_attempts.' || (${result.item.status}) || '.' || (${result.item.trigger})`,
      value: sql`count(*)`,
    },
    sql`${fromHeldDeliveries(result)} cross join json_each('[0,1]') scope
      where ${isAttempted(result)} and ${delivery.kind} <> 'email' group by 1, 2`,
  )} on conflict (${columnName(company_id)}, ${columnName(total)}) do update set ${columnName(value)} = ${value} + excluded.value`;
});

/**
 * Returns the FROM and WHERE clauses of the counts that a helper adds to its retry run. A helper is an invocation that a
 * large retry run starts by a queue message. Each attempt counts once, even if its lease was lost.
 */
const newCounts = (result: EachResult) => {
  const attempt = alias(delivery_attempts, "attempt");
  return sql`from ${result.from} cross join ${tableReference(delivery)} on ${isDeliveryOf(result)}
    cross join json_each(${result.value}, '$.counts') count_name
  where case when ${isAttempted(result)} then not exists (select 1 from ${tableReference(attempt)}
      where ${attempt.delivery_seq} = ${delivery.seq} and ${attempt.lease_token} = ${result.item.token})
    else ${delivery.lease_token} = ${result.item.token} end`;
};

const addRunCounts = statement(
  { ...parameters, run: jobRuns.id },
  (p) => sql`update ${jobRuns} set ${columnName(jobRuns.counts)} = (select json_group_object(key, total) from (
      select key, sum(value) as total from (select key, value from json_each(${jobRuns.counts})
        union all select count_name.value, 1 ${newCounts(eachResult(p))}) group by key))
    where ${jobRuns.id} = ${p.run}`,
);

const addJobTotals = statement(parameters, (p) => {
  const { job, name: total, value } = jobCounters;
  return sql`${insertSelect(
    jobCounters,
    { job: "retry_webhooks", name: sql`'items.' || count_name.value`, value: sql`count(*)` },
    sql`${newCounts(eachResult(p))} group by count_name.value`,
  )} on conflict (${columnName(job)}, ${columnName(total)}) do update set ${columnName(value)} = ${value} + excluded.value`;
});

const deliveries = action_deliveries;

/** Updates the deliveries of the results for which `isIncluded` is true, and ends their leases. */
const settle = (result: EachResult, isIncluded: SQL, values: Partial<InsertValues<typeof deliveries>>) => {
  const { seq, id, token, at, next, wait_ms, error_message, error_code } = result.item;
  return sql`update ${deliveries} set ${assignments(deliveries, { ...values, locked_until: null, lease_token: null })}
    from (select ${seq} as seq, ${id} as id, ${token} as token, ${at} as at, ${next} as next, ${wait_ms} as wait_ms,
        ${error_message} as error, ${error_code} as code from ${result.from} where ${isIncluded}) result
    where ${deliveries.seq} = result.seq and ${deliveries.id} = result.id and ${deliveries.lease_token} = result.token
      and +${isWaiting(deliveries)}`;
};

// The number of attempts is read from the row, because a requeue during the attempt resets it.
const settleAttempted = statement({ ...parameters, max_attempts: integer }, (p) => {
  const result = eachResult(p);
  const { attempt_count, due_at } = deliveries;
  const isRetried = sql`${attempt_count} + 1 < ${p.max_attempts}`;
  const wait = sql`min(${HOUR_MS}, ${FIRST_WAIT_MS} * (1 << ${attempt_count}))`;
  return settle(result, isAttempted(result), {
    attempt_count: sql`${attempt_count} + 1`,
    status: sql`case when result.next <> 'retry' then result.next when ${isRetried} then 'failed' else 'dead' end`,
    due_at: sql`case when result.next = 'retry' and ${isRetried} then result.at + coalesce(result.wait_ms, ${wait})
      else ${due_at} end`,
    delivered_at: sql`case when result.next = 'delivered' then result.at end`,
    last_error: sql`result.error`,
    last_error_code: sql`result.code`,
    updated_at: sql`result.at`,
  });
});

const settleUnsent = statement(parameters, (p) => {
  const result = eachResult(p);
  const { status, claim_count, due_at, last_error, last_error_code, updated_at } = deliveries;
  const unlessReleased = (column: AnySQLiteColumn, value: SQL) =>
    sql`case when result.next = 'free' then ${column} else ${value} end`;
  return settle(result, sql`not ${isAttempted(result)}`, {
    status: sql`case when result.next = 'dead' then 'dead' else ${status} end`,
    claim_count: sql`${claim_count} - (result.next <> 'dead')`,
    due_at: sql`case when result.next = 'postpone' then result.at + result.wait_ms else ${due_at} end`,
    last_error: unlessReleased(last_error, sql`result.error`),
    last_error_code: unlessReleased(last_error_code, sql`result.code`),
    updated_at: unlessReleased(updated_at, sql`result.at`),
  });
});

export type SettleOptions = {
  maxAttempts: number;
  /** the run to which a helper adds its counts; null outside a helper, where the run stores its own counts */
  helpedRunId: number | null;
};

/** Maximum number of statements in one call of settleResults. */
export const MAX_SETTLE_STATEMENTS = 10;

/**
 * Stores results in one batch of set-based statements. Returns the subscriptions that have started to fail, and the
 * number of statements. A result whose lease was lost only stores its attempt and, in a helper, its counts. A repeated call changes nothing.
 */
export async function settleResults(
  db: Db,
  results: readonly Result[],
  { maxAttempts, helpedRunId }: SettleOptions,
): Promise<{ failing: FailingRule[]; statements: number }> {
  const hasAttempts = results.some(({ status }) => status !== null);
  const hasUnsent = results.some(({ status }) => status === null);
  const answers = results.flatMap((result) => (result.status === null ? [] : [result.answered]));
  const batch = {
    health: recordHealth({ results }),
    failing: markFailing({ results }),
    runCounts: helpedRunId === null ? null : addRunCounts({ results, run: helpedRunId }),
    jobTotals: helpedRunId === null ? null : addJobTotals({ results }),
    attempts: hasAttempts ? insertAttempts({ results }) : null,
    totals: hasAttempts ? countAttempts({ results }) : null,
    responsive: answers.includes(true) ? clearHosts({ results }) : null,
    unresponsive: answers.includes(false) ? countHosts({ results }) : null,
    unsent: hasUnsent ? settleUnsent({ results }) : null,
    attempted: hasAttempts ? settleAttempted({ results, max_attempts: maxAttempts }) : null,
  };
  const { failing } = await db.batch(batch);
  return { failing: failing.rows, statements: Object.values(batch).filter((item) => item !== null).length };
}
