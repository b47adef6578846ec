import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import {
  scheduled_job_counters as counters,
  scheduled_job_runs as runs,
  scheduled_job_states as states,
} from "../../../../db/kit/jobs";
import { event_log } from "../../../../db/kit/webhooks";
import type { Db } from "../../db/db";
import { integer, json } from "../../db/kind";
import { assign, each, from, insertSelect, name, q } from "../../db/query";
import { statement } from "../../db/statement";
import type { Counts } from "../job";
import type { Trigger } from "../lock/job-lock";

/** As the columns of `holdsFence`, in SQL text; goes with the last statement that is text. */
export function holdsFence(job: string, value: string): string {
  return `(${value} IS NULL OR (SELECT fence FROM scheduled_job_states WHERE job = '${job}') = ${value})`;
}

const r = alias(runs, "r");

/** Adds to a counter of a job what the insert says; a job's first count makes the row. */
const addingUp = (insert: SQL) =>
  sql`${insert} on conflict (${name(counters.job)}, ${name(counters.name)})
    do update set ${name(counters.value)} = ${counters.value} + excluded.value`;

/** Each job's time before which a running run is stale. */
const stale = { cuts: json<readonly { job: string; cut: number }[]>() };

// Counters and states look at what the last statement ends, so that a repeated batch adds nothing.
const staleRuns = (p: { cuts: SQL<readonly { job: string; cut: number }[]> }) => {
  const { from: list, of } = each(p.cuts, "j");
  return sql`${list} cross join ${from(r)}
    on ${r.job} = ${of.job} and ${r.status} = 'running' and ${r.started_at} < ${of.cut}`;
};

const countStale = statement(stale, (p) =>
  addingUp(
    insertSelect(
      counters,
      { job: r.job, name: "runs.failed", value: sql`count(*)` },
      sql`from ${staleRuns(p)} where true group by ${r.job}`,
    ),
  ),
);

const recordStale = statement({ ...stale, now: integer }, (p) =>
  q
    .update(states)
    .set({ last_failure_at: p.now })
    .where(sql`${states.job} in (select ${r.job} from ${staleRuns(p)})`),
);

const endStale = statement({ ...stale, now: integer }, (p) =>
  q
    .update(runs)
    .set({
      status: "failed",
      error_key: "interrupted",
      finished_at: p.now,
      duration_ms: sql`${p.now} - ${runs.started_at}`,
    })
    .where(and(sql`${runs.id} in (select ${r.id} from ${staleRuns(p)})`, eq(runs.status, "running")))
    .returning({ id: runs.id, job: runs.job }),
);

// The answer to an insert may be lost, and the batch comes again: these columns say whether the row is there.
const key = {
  job: runs.job,
  started_at: runs.started_at,
  host: runs.host,
  trigger: runs.trigger,
  fence: runs.lock_fence,
};

const isSameRun = (p: { [K in keyof typeof key]: SQL }) =>
  and(
    eq(runs.job, p.job),
    eq(runs.started_at, p.started_at),
    eq(runs.host, p.host),
    eq(runs.trigger, p.trigger),
    sql`${runs.lock_fence} is ${p.fence}`,
  );

const insertRun = statement(key, ({ fence, ...p }) =>
  insertSelect(
    runs,
    { ...p, status: "running", lock_fence: fence },
    sql`where not exists (select 1 from ${runs} where ${isSameRun({ ...p, fence })})`,
  ),
);

const recordStart = statement({ job: states.job, now: integer, fence: runs.lock_fence }, (p) =>
  q
    .insert(states)
    .values({ job: p.job, created_at: p.now, last_started_at: p.now, fence: sql`coalesce(${p.fence}, 0)` })
    .onConflictDoUpdate({
      target: states.job,
      set: {
        last_started_at: sql`excluded.last_started_at`,
        fence: sql`max(${states.fence}, excluded.fence)`,
      },
    }),
);

const findStarted = statement(key, (p) => q.select({ id: runs.id }).from(runs).where(isSameRun(p)));

export type NewRun = { job: string; trigger: Trigger; startedAt: number; host: string; fence: number | null };

/** Ends the stale runs of `jobs` (lock seconds by name) and stores a new one, in one round trip; times are unix ms. */
export async function startRun(
  db: Db,
  run: NewRun,
  jobs: readonly { name: string; lockSeconds: number }[],
): Promise<{ id: number; interrupted: { id: number; job: string }[] }> {
  const { job, trigger, startedAt: now, host, fence } = run;
  const cuts = jobs.map(({ name, lockSeconds }) => ({ job: name, cut: now - lockSeconds * 1000 }));
  const own = { job, started_at: now, host, trigger, fence };
  const { interrupted, started } = await db.batch({
    counted: countStale({ cuts }),
    recorded: recordStale({ cuts, now }),
    interrupted: endStale({ cuts, now }),
    inserted: insertRun(own),
    start: recordStart({ job, now, fence }),
    started: findStarted(own),
  });
  if (started.first === null) throw new Error("a started run is not there");
  return { id: started.first.id, interrupted: interrupted.rows };
}

/** Guard of the finish batch: the run is running and, if it took the lock, no later run has it. */
const isRunning = (run: SQLWrapper) => {
  const s = alias(states, "s");
  return sql`exists (select 1 from ${from(r)} join ${from(s)} on ${s.job} = ${r.job}
    where ${r.id} = ${run} and ${r.status} = 'running' and (${r.lock_fence} is null or ${r.lock_fence} = ${s.fence}))`;
};

const insertJobEvent = statement(
  {
    run: runs.id,
    event_id: event_log.event_id,
    type: event_log.event_type,
    data: json<Record<string, unknown>>(),
    now: integer,
  },
  (p) =>
    insertSelect(
      event_log,
      { event_id: p.event_id, company_id: null, event_type: p.type, data: p.data, created_at: p.now },
      sql`where ${isRunning(p.run)} on conflict do nothing`,
    ),
);

const ending = { run: runs.id, job: states.job, now: integer, duration_ms: integer };

const recordSuccess = statement(ending, (p) =>
  q
    .update(states)
    .set({ last_success_at: p.now, last_duration_ms: p.duration_ms })
    .where(and(eq(states.job, p.job), isRunning(p.run))),
);

const recordFailure = statement(ending, (p) =>
  q
    .update(states)
    .set({ last_failure_at: p.now, last_duration_ms: p.duration_ms })
    .where(and(eq(states.job, p.job), isRunning(p.run))),
);

const countRun = statement({ run: runs.id, job: counters.job, name: counters.name }, (p) =>
  addingUp(insertSelect(counters, { job: p.job, name: p.name, value: 1 }, sql`where ${isRunning(p.run)}`)),
);

// `complete` is no number, and no count.
const countItems = statement({ run: runs.id, job: counters.job, counts: runs.counts }, (p) =>
  addingUp(
    insertSelect(
      counters,
      { job: p.job, name: sql`'items.' || j.key`, value: sql`j.value` },
      sql`from json_each(${p.counts}) j where j.type = 'integer' and ${isRunning(p.run)}`,
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
    event_id: event_log.event_id,
  },
  (p) => {
    // Helpers of the run may have added their counts to the row already: the run adds its own to them.
    const total = sql`(select json_group_object(key, total) from (select key, sum(value) as total
      from (select key, value, type from json_each(${runs.counts})
        union all select key, value, type from json_each(${p.counts}))
      where type = 'integer' group by key))`;
    const event = sql`(select ${event_log.id} from ${event_log} where ${event_log.event_id} = ${p.event_id})`;
    const values = assign(runs, {
      status: p.status,
      finished_at: p.now,
      duration_ms: p.duration_ms,
      counts: sql`json_patch(${p.counts}, ${total})`,
      error_key: p.error_key,
      error_class: p.error_class,
      error_message: p.error_message,
      event_log_id: event,
    });
    return sql`update ${runs} set ${values} where ${runs.id} = ${p.run} and ${isRunning(p.run)}`;
  },
);

const findStatus = statement({ id: runs.id }, (p) =>
  q.select({ status: runs.status, error_key: runs.error_key }).from(runs).where(eq(runs.id, p.id)),
);

/** How a run ended. `error` null: it succeeded. */
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
 * Stores how a run ended, with its platform event, state and counters, in one round trip; a repeat changes nothing. False
 * when the run is not this caller's to end any more: it was interrupted, or a later run has the lock.
 */
export async function finishRun(db: Db, ending: RunEnding): Promise<boolean> {
  const { runId: run, job, finishedAt: now, durationMs: duration_ms, counts, error, event } = ending;
  const status = error === null ? "succeeded" : "failed";
  const record = error === null ? recordSuccess : recordFailure;
  const { stored } = await db.batch({
    event: insertJobEvent({ run, event_id: event.id, type: event.type, data: event.data, now }),
    state: record({ run, job, now, duration_ms }),
    runs: countRun({ run, job, name: `runs.${status}` }),
    items: countItems({ run, job, counts }),
    ended: endRun({
      ...{ run, status, now, duration_ms, counts, event_id: event.id },
      ...{ error_key: error?.key ?? null, error_class: error?.name ?? null, error_message: error?.message ?? null },
    }),
    stored: findStatus({ id: run }),
  });
  return stored.first?.status === status && stored.first.error_key === (error?.key ?? null);
}

// A repeated batch finds its own time noted and counts nothing.
const countSkip = statement({ job: states.job, now: integer }, (p) =>
  addingUp(
    insertSelect(
      counters,
      { job: p.job, name: "runs.skipped_locked", value: 1 },
      sql`where not exists (select 1 from ${states} where ${states.job} = ${p.job} and ${states.last_skipped_at} = ${p.now})`,
    ),
  ),
);

const recordSkipped = statement({ job: states.job, now: integer }, (p) =>
  q.update(states).set({ last_skipped_at: p.now }).where(eq(states.job, p.job)),
);

/** Counts a run that found the lock held; `at` (unix ms) is a time that no other skip of this isolate has. */
export async function recordSkip(db: Db, job: string, now: number): Promise<void> {
  await db.batch({ counted: countSkip({ job, now }), recorded: recordSkipped({ job, now }) });
}
