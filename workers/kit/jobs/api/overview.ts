import type { BatchResults } from "../../db/db";
import type { Page } from "../../http/paging/page";
import { scanOfLimit } from "../../http/paging/scan";
import { DAY_MS } from "../../time";
import type { JobSet } from "../job";
import { countRecent, findRun, listCounters, listNewest, listRuns, listStates } from "./job.store";

const namesOf = <S>(set: JobSet<S>) => set.jobs.map(({ name }) => name);

/** Returns the statements that read states and totals of a service's jobs, to be added to a batch of the caller. */
export function jobTotals<S>(set: JobSet<S>) {
  const jobs = namesOf(set);
  return { states: listStates({ jobs }), counters: listCounters({ jobs }) };
}

/** The rows of the statements in `jobTotals`. */
export type JobTotals = ReturnType<typeof toTotals>;

/** Returns the rows from the batch results of `jobTotals`. */
export function toTotals({ states, counters }: BatchResults<ReturnType<typeof jobTotals>>) {
  return { states: states.rows, counters: counters.rows };
}

/** Returns the statements that read the stored part of the staff API's job list; `now` is unix ms. */
export function selectOverview<S>(set: JobSet<S>, now: number) {
  const jobs = namesOf(set);
  return { ...jobTotals(set), newest: listNewest({ jobs }), recent: countRecent({ jobs, since: now - DAY_MS }) };
}

/** The stored part of the staff API's job list, with the newest run of each kind. */
export type JobOverview = ReturnType<typeof toOverview>;

/** Returns the rows from the batch results of `selectOverview`. */
export function toOverview({ newest, recent, ...totals }: BatchResults<ReturnType<typeof selectOverview>>) {
  return { ...toTotals(totals), newest: newest.rows, recent: recent.rows };
}

/** The values by which a list of runs is sorted, newest first. */
type RunPosition = [startedAt: number, id: number];

/** Returns the statement that reads a page of a job's runs, newest first, as a bounded scan. */
export function selectRuns(job: string, status: "running" | "succeeded" | "failed" | null, page: Page<RunPosition>) {
  const [started_at, id] = page.after ?? [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  return listRuns({ job, status, started_at, id, ...scanOfLimit(page.limit) });
}

/** Returns the statement that reads a run; a null id matches no run. */
export const selectRun = (id: number | null) => findRun({ id });
