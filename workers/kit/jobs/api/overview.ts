import type { BatchResults } from "../../db/db";
import type { Page } from "../../http/paging/page";
import { walkOfLimit } from "../../http/paging/walk";
import { DAY_MS } from "../../time";
import type { JobSet } from "../job";
import { countRecent, findRun, listCounters, listNewest, listRuns, listStates } from "./job.store";

const namesOf = <S>(set: JobSet<S>) => set.jobs.map(({ name }) => name);

/** Returns the statements for states and totals of a service's jobs, for a batch of the caller. */
export function jobTotals<S>(set: JobSet<S>) {
  const jobs = namesOf(set);
  return { states: listStates({ jobs }), counters: listCounters({ jobs }) };
}

/** The result of `jobTotals`. */
export type JobTotals = ReturnType<typeof toTotals>;

/** Converts the rows of `jobTotals`. */
export function toTotals({ states, counters }: BatchResults<ReturnType<typeof jobTotals>>) {
  return { states: states.rows, counters: counters.rows };
}

/** Returns the statements for the stored part of the staff list; `now` is unix ms. */
export function selectOverview<S>(set: JobSet<S>, now: number) {
  const jobs = namesOf(set);
  return { ...jobTotals(set), newest: listNewest({ jobs }), recent: countRecent({ jobs, since: now - DAY_MS }) };
}

/** The stored part of the staff list; runs are the newest of their kind. */
export type JobOverview = ReturnType<typeof toOverview>;

/** Converts the rows of `overviewReads`. */
export function toOverview({ newest, recent, ...totals }: BatchResults<ReturnType<typeof selectOverview>>) {
  return { ...toTotals(totals), newest: newest.rows, recent: recent.rows };
}

/** Sort values of a run in a list, newest first. */
type RunPosition = [startedAt: number, id: number];

/** Returns the statement for runs of a job, newest first, as a walk. */
export function selectRuns(job: string, status: "running" | "succeeded" | "failed" | null, page: Page<RunPosition>) {
  const [started_at, id] = page.after ?? [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  return listRuns({ job, status, started_at, id, ...walkOfLimit(page.limit) });
}

/** Returns the statement for a run; null matches none. */
export const selectRun = (id: number | null) => findRun({ id });
