import { type Db, sql } from "../../db";
import type { Trigger } from "../lock/job-lock";

/**
 * The term that every claiming or deleting statement of a run carries: `value` is the run's fence, null without a lock. A
 * run that lost its lock finds a larger one stored and changes nothing (details of Document 3, 3.2, point 5).
 */
export function holdsFence(job: string, value: string): string {
  return `(${value} IS NULL OR (SELECT fence FROM scheduled_job_states WHERE job = '${job}') = ${value})`;
}

// Stale runs: `?1` is a list of `{job, cut}`. Counters and states look at what the last statement ends, so that a
// repeated batch adds nothing.
const STALE = `json_each(?1) j CROSS JOIN scheduled_job_runs r
  ON r.job = j.value ->> 'job' AND r.status = 'running' AND r.started_at < j.value ->> 'cut'`;

const countStale = sql(`INSERT INTO scheduled_job_counters (job, name, value)
SELECT r.job, 'runs.failed', count(*) FROM ${STALE} WHERE true GROUP BY r.job
ON CONFLICT (job, name) DO UPDATE SET value = value + excluded.value`);

const noteStale = sql(`UPDATE scheduled_job_states SET last_failure_at = ?2
WHERE job IN (SELECT r.job FROM ${STALE})`);

const endStale = sql(`UPDATE scheduled_job_runs
SET status = 'failed', error_key = 'interrupted', finished_at = ?2, duration_ms = ?2 - started_at
WHERE id IN (SELECT r.id FROM ${STALE}) AND status = 'running' RETURNING id, job`);

// The answer to an insert may be lost, and the batch comes again: these columns say whether the row is there.
const SAME_RUN = "job = ?1 AND started_at = ?2 AND host = ?3 AND trigger = ?4 AND lock_fence IS ?5";

const insertRun = sql(`INSERT INTO scheduled_job_runs (job, trigger, status, started_at, host, lock_fence)
SELECT ?1, ?4, 'running', ?2, ?3, ?5 WHERE NOT EXISTS (SELECT 1 FROM scheduled_job_runs WHERE ${SAME_RUN})`);

const noteStart = sql(`INSERT INTO scheduled_job_states (job, created_at, last_started_at, fence)
VALUES (?1, ?2, ?2, coalesce(?3, 0))
ON CONFLICT (job) DO UPDATE SET last_started_at = excluded.last_started_at, fence = max(fence, excluded.fence)`);

const findStarted = sql(`SELECT id FROM scheduled_job_runs WHERE ${SAME_RUN}`);

export type NewRun = { job: string; trigger: Trigger; startedAt: number; host: string; fence: number | null };

/** Ends the stale runs of `jobs` (lock seconds by name) and stores a new one, in one round trip; times are unix ms. */
export async function startRun(
  db: Db,
  run: NewRun,
  jobs: readonly { name: string; lockSeconds: number }[],
): Promise<{ id: number; interrupted: { id: number; job: string }[] }> {
  const { job, trigger, startedAt, host, fence } = run;
  const cuts = JSON.stringify(
    jobs.map(({ name, lockSeconds }) => ({ job: name, cut: startedAt - lockSeconds * 1000 })),
  );
  const key = [job, startedAt, host, trigger, fence] as const;
  type Row = { id: number; job: string };
  const [, , interrupted, , , started] = await db.batch<[unknown, unknown, Row, unknown, unknown, Row]>([
    countStale.bind(db, cuts),
    noteStale.bind(db, cuts, startedAt),
    endStale.bind(db, cuts, startedAt),
    insertRun.bind(db, ...key),
    noteStart.bind(db, job, startedAt, fence),
    findStarted.bind(db, ...key),
  ]);
  const id = started.results[0]?.id;
  if (id === undefined) throw new Error("a started run is not there");
  return { id, interrupted: interrupted.results };
}

// Guard of the finish batch: the run is running and, if it took the lock, no later run has it.
const IS_RUNNING = `EXISTS (SELECT 1 FROM scheduled_job_runs r JOIN scheduled_job_states s ON s.job = r.job
  WHERE r.id = ?1 AND r.status = 'running' AND (r.lock_fence IS NULL OR r.lock_fence = s.fence))`;

const insertJobEvent = sql(`INSERT INTO event_log (event_id, company_id, event_type, data, created_at)
SELECT ?2, NULL, ?3, ?4, ?5 WHERE ${IS_RUNNING} ON CONFLICT DO NOTHING`);

const noteSuccess = sql(`UPDATE scheduled_job_states SET last_success_at = ?3, last_duration_ms = ?4
WHERE job = ?2 AND ${IS_RUNNING}`);

const noteFailure = sql(`UPDATE scheduled_job_states SET last_failure_at = ?3, last_duration_ms = ?4
WHERE job = ?2 AND ${IS_RUNNING}`);

const countRun = sql(`INSERT INTO scheduled_job_counters (job, name, value) SELECT ?2, ?3, 1 WHERE ${IS_RUNNING}
ON CONFLICT (job, name) DO UPDATE SET value = value + 1`);

// `complete` is no number, and no count.
const countItems = sql(`INSERT INTO scheduled_job_counters (job, name, value)
SELECT ?2, 'items.' || j.key, j.value FROM json_each(?3) j WHERE j.type = 'integer' AND ${IS_RUNNING}
ON CONFLICT (job, name) DO UPDATE SET value = value + excluded.value`);

// Helpers of the run may have added their counts to the row already (3.7, point 5): the run adds its own to them.
const endRun = sql(`UPDATE scheduled_job_runs SET status = ?2, finished_at = ?3, duration_ms = ?4,
  counts = json_patch(?5, (SELECT json_group_object(key, total) FROM (SELECT key, sum(value) AS total
    FROM (SELECT key, value, type FROM json_each(counts) UNION ALL SELECT key, value, type FROM json_each(?5))
    WHERE type = 'integer' GROUP BY key))),
  error_key = ?6, error_class = ?7, error_message = ?8, event_log_id = (SELECT id FROM event_log WHERE event_id = ?9)
WHERE id = ?1 AND ${IS_RUNNING}`);

const findStatus = sql("SELECT status, error_key FROM scheduled_job_runs WHERE id = ?1");

/** How a run ended. `error` null: it succeeded. */
export type RunEnding = {
  runId: number;
  job: string;
  /** unix ms */
  finishedAt: number;
  durationMs: number;
  counts: Record<string, number | boolean>;
  error: { key: string; name: string; message: string } | null;
  event: { id: string; type: string; data: Record<string, unknown> };
};

/**
 * Stores how a run ended, with its platform event, state and counters, in one round trip; a repeat changes nothing. False
 * when the run is not this caller's to end any more: it was interrupted, or a later run has the lock.
 */
export async function finishRun(db: Db, ending: RunEnding): Promise<boolean> {
  const { runId, job, finishedAt, durationMs, error, event } = ending;
  const status = error === null ? "succeeded" : "failed";
  const counts = JSON.stringify(ending.counts);
  type Row = { status: string; error_key: string | null };
  const results = await db.batch<Row[]>([
    insertJobEvent.bind(db, runId, event.id, event.type, JSON.stringify(event.data), finishedAt),
    (error === null ? noteSuccess : noteFailure).bind(db, runId, job, finishedAt, durationMs),
    countRun.bind(db, runId, job, `runs.${status}`),
    countItems.bind(db, runId, job, counts),
    endRun.bind(
      db,
      ...[runId, status, finishedAt, durationMs, counts],
      ...[error?.key ?? null, error?.name ?? null, error?.message ?? null, event.id],
    ),
    findStatus.bind(db, runId),
  ]);
  const row = results.at(-1)?.results[0];
  return row?.status === status && row.error_key === (error?.key ?? null);
}

// A repeated batch finds its own time noted and counts nothing.
const countSkip = sql(`INSERT INTO scheduled_job_counters (job, name, value) SELECT ?1, 'runs.skipped_locked', 1
WHERE NOT EXISTS (SELECT 1 FROM scheduled_job_states WHERE job = ?1 AND last_skipped_at = ?2)
ON CONFLICT (job, name) DO UPDATE SET value = value + 1`);

const noteSkip = sql("UPDATE scheduled_job_states SET last_skipped_at = ?2 WHERE job = ?1");

/** Counts a run that found the lock held; `at` (unix ms) is a time that no other skip of this isolate has. */
export async function recordSkip(db: Db, job: string, at: number): Promise<void> {
  await db.batch([countSkip.bind(db, job, at), noteSkip.bind(db, job, at)]);
}
