import type { BatchResults } from "../../db/db";
import type { Page } from "../../http/paging/page";
import { walkOfLimit } from "../../http/paging/walk";
import { DAY_MS } from "../../time";
import type { JobSet } from "../job";
import { countRecent, findRun, listCounters, listNewest, listRuns, listStates } from "./job.store";

const namesOf = <S>(set: JobSet<S>) => set.jobs.map(({ name }) => name);

/** Reads of states and totals of a service's jobs, for a batch of the caller. */
export function jobTotals<S>(set: JobSet<S>) {
  const jobs = namesOf(set);
  return { states: listStates({ jobs }), counters: listCounters({ jobs }) };
}

/** What `jobTotals` found. */
export type JobTotals = ReturnType<typeof toTotals>;

/** The rows of `jobTotals`. */
export function toTotals({ states, counters }: BatchResults<ReturnType<typeof jobTotals>>) {
  return { states: states.rows, counters: counters.rows };
}

/** Reads of all that is stored of the staff list; `now` is unix ms. */
export function overviewReads<S>(set: JobSet<S>, now: number) {
  const jobs = namesOf(set);
  return { ...jobTotals(set), newest: listNewest({ jobs }), recent: countRecent({ jobs, since: now - DAY_MS }) };
}

/** What the staff list is made of; runs are the newest of their kind. */
export type JobOverview = ReturnType<typeof toOverview>;

/** The rows of `overviewReads`. */
export function toOverview({ newest, recent, ...totals }: BatchResults<ReturnType<typeof overviewReads>>) {
  return { ...toTotals(totals), newest: newest.rows, recent: recent.rows };
}

/** Sort values of a run in a list, newest first. */
type RunPosition = [startedAt: number, id: number];

/** The read of runs of a job, newest first: a walk. */
export function runsRead(job: string, status: "running" | "succeeded" | "failed" | null, page: Page<RunPosition>) {
  const [started_at, id] = page.after ?? [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  return listRuns({ job, status, started_at, id, ...walkOfLimit(page.limit) });
}

/** The read of a run; null is the id of none. */
export const runRead = (id: number | null) => findRun({ id });
