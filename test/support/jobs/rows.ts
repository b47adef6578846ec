import { and, asc, desc, eq, like, sql } from "drizzle-orm";
import {
  scheduled_job_counters as counters,
  scheduled_job_runs as runs,
  scheduled_job_states as states,
} from "../../../db/kit/jobs";
import { event_log } from "../../../db/kit/webhooks";
import { db, eventsWhere, insertRow, readRows, updateRows } from "../webhooks/rows";

/** Returns the last recorded run of a job. */
export const newestRun = async (job: string) => (await readRows(runs, eq(runs.job, job), desc(runs.id)))[0];

/** Returns the runs of a job, oldest first. */
export const runsOf = (job: string) => readRows(runs, eq(runs.job, job), asc(runs.id));

/** Stores a run. `values` replaces the defaults. */
export const insertRun = (values: Partial<typeof runs.$inferInsert> & { job: string }) =>
  insertRow(runs, { trigger: "scheduler", status: "succeeded", started_at: 1, host: "w@unknown:1", ...values });

export const changeRun = (id: number, values: Partial<typeof runs.$inferInsert>) =>
  updateRows(runs, values, eq(runs.id, id));

export const stateOf = async (job: string) => (await readRows(states, eq(states.job, job)))[0];

/** Sets the stored fence of a job. Without `job`, sets the fence of every job that has a state. */
export const setFence = (fence: number, job?: string) =>
  job === undefined
    ? updateRows(states, { fence }, undefined)
    : db
        .insert(states)
        .values({ job, created_at: 1, fence })
        .onConflictDoUpdate({ target: states.job, set: { fence } })
        .then(() => undefined);

/** Returns the stored counters of a job whose names start with `prefix`, by name. */
export async function countersOf(job: string, prefix = ""): Promise<Record<string, number>> {
  const rows = await readRows(counters, and(eq(counters.job, job), like(counters.name, `${prefix}%`)));
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/** Returns the platform events about runs of a job. */
export const eventsOfJob = (job: string) => eventsWhere(sql`${event_log.data} ->> '$.job' = ${job}`);
