import { and, eq, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import {
  scheduled_job_counters as counters,
  scheduled_job_runs as runs,
  scheduled_job_states as states,
} from "../../../../db/kit/jobs";
import { event_log, PLATFORM } from "../../../../db/kit/webhooks";
import type { Db } from "../../db/db";
import { integer, json } from "../../db/kind";
import { assignments, insertSelect, queryBuilder, tableReference } from "../../db/query";
import { statement } from "../../db/statement";
import { numberOfId } from "../../webhooks/events/event-key";
import type { Counts } from "../job";
import { addToCounter } from "./run.store";

/** Returns the condition that a run is still running and, if it took the lock, that no later run has taken it. */
const isRunning = (run: SQLWrapper) => {
  const runRow = alias(runs, "run");
  const stateRow = alias(states, "state");
  return sql`exists (select 1 from ${tableReference(runRow)}
    join ${tableReference(stateRow)} on ${stateRow.job} = ${runRow.job}
    where ${runRow.id} = ${run} and ${runRow.status} = 'running' and (${runRow.lock_fence} is null
      or ${runRow.lock_fence} = ${stateRow.fence}))`;
};

const insertJobEvent = statement(
  {
    run: runs.id,
    id: event_log.id,
    type: event_log.event_type,
    data: json<Record<string, unknown>>(),
    now: integer,
  },
  (p) =>
    insertSelect(
      event_log,
      { id: p.id, company_id: PLATFORM, event_type: p.type, data: p.data, created_at: p.now },
      sql`where ${isRunning(p.run)} on conflict do nothing`,
    ),
);

const ending = { run: runs.id, job: states.job, now: integer, duration_ms: integer };

const recordSuccess = statement(ending, (p) =>
  queryBuilder
    .update(states)
    .set({ last_success_at: p.now, last_duration_ms: p.duration_ms })
    .where(and(eq(states.job, p.job), isRunning(p.run))),
);

const recordFailure = statement(ending, (p) =>
  queryBuilder
    .update(states)
    .set({ last_failure_at: p.now, last_duration_ms: p.duration_ms })
    .where(and(eq(states.job, p.job), isRunning(p.run))),
);

const countRun = statement({ run: runs.id, job: counters.job, name: counters.name }, (p) =>
  addToCounter(insertSelect(counters, { job: p.job, name: p.name, value: 1 }, sql`where ${isRunning(p.run)}`)),
);

// Counts are integers; `complete` is a boolean and is skipped.
const countItems = statement({ run: runs.id, job: counters.job, counts: runs.counts }, (p) =>
  addToCounter(
    insertSelect(
      counters,
      { job: p.job, name: sql`'items.' || item.key`, value: sql`item.value` },
      sql`from json_each(${p.counts}) item where item.type = 'integer' and ${isRunning(p.run)}`,
    ),
  ),
);

const endRun = statement(
  {
    run: runs.id,
    status: runs.status,
    now: integer,
    duration_ms: integer,
    counts: runs.counts,
    error_key: runs.error_key,
    error_class: runs.error_class,
    error_message: runs.error_message,
    event: runs.event_log_id,
  },
  (p) => {
    // Helpers may already have added their counts to the row, so the run adds its counts instead of replacing the
    // stored ones.
    const total = sql`(select json_group_object(key, total) from (select key, sum(value) as total
      from (select key, value, type from json_each(${runs.counts})
        union all select key, value, type from json_each(${p.counts}))
      where type = 'integer' group by key))`;
    const values = assignments(runs, {
      status: p.status,
      finished_at: p.now,
      duration_ms: p.duration_ms,
      counts: sql`json_patch(${p.counts}, ${total})`,
      error_key: p.error_key,
      error_class: p.error_class,
      error_message: p.error_message,
      event_log_id: p.event,
    });
    return sql`update ${runs} set ${values} where ${runs.id} = ${p.run} and ${isRunning(p.run)}`;
  },
);

const findStatus = statement({ id: runs.id }, (p) =>
  queryBuilder.select({ status: runs.status, error_key: runs.error_key }).from(runs).where(eq(runs.id, p.id)),
);

/** The end of a run. `error` is null when the run succeeded. */
export type RunEnding = {
  runId: number;
  job: string;
  /** unix ms */
  finishedAt: number;
  durationMs: number;
  counts: Counts;
  error: { key: string; name: string; message: string } | null;
  event: { id: string; type: string; data: Record<string, unknown> };
};

/**
 * Stores the end of a run with its platform event, state and counters in one round trip. A repeated call changes
 * nothing. Returns false when the run was interrupted or a later run has the lock.
 */
export async function finishRun(db: Db, ending: RunEnding): Promise<boolean> {
  const { runId: run, job, finishedAt: now, durationMs: duration_ms, counts, error, event } = ending;
  const status = error === null ? "succeeded" : "failed";
  const record = error === null ? recordSuccess : recordFailure;
  const { stored } = await db.batch({
    event: insertJobEvent({ run, id: event.id, type: event.type, data: event.data, now }),
    state: record({ run, job, now, duration_ms }),
    runs: countRun({ run, job, name: `runs.${status}` }),
    items: countItems({ run, job, counts }),
    ended: endRun({
      run,
      status,
      now,
      duration_ms,
      counts,
      event: numberOfId(event.id),
      error_key: error?.key ?? null,
      error_class: error?.name ?? null,
      error_message: error?.message ?? null,
    }),
    stored: findStatus({ id: run }),
  });
  return stored.first?.status === status && stored.first.error_key === (error?.key ?? null);
}
